import { CliError, EXIT } from './cli-error.ts';

// Stands in place of the server's modules in the one file that a server hands out (scripts/bundle-cli.mjs).
throw new CliError(
  'no_server_here',
  "parley: this command works on a server's own store, and there is no server in this program",
  { exitCode: EXIT.misuse, hint: 'run it where the server is installed, as "npx parley"' },
);
