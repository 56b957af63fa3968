import { Argument, Command } from 'commander';
import { serverOption } from '../command-options.ts';

export const CLIENTS = ['claude-code', 'codex', 'gemini', 'cursor', 'vscode', 'openclaw'] as const;
export type ClientName = (typeof CLIENTS)[number];

const NOTES = `
Writes the client's own configuration so that it starts "parley mcp", and hooks or instructions where the client has those.
The key stays in this user's credentials file ("parley agent register"): no configuration holds it.`;

export function installCommand(): Command {
  return new Command('install')
    .addArgument(
      new Argument('[client]', 'who shall use this server; with --undo: every client').choices(CLIENTS),
    )
    .addOption(serverOption())
    .option('--print', 'print the files instead of writing them')
    .option('--undo', 'take out what was written')
    .option('--folder <path>', 'the project; default: the folder we are in')
    .option('--json', 'print the files as JSON')
    .description('let an MCP client use this server, with memory that works by itself')
    .addHelpText('after', NOTES)
    .action(async (client, options) => (await import('./install.ts')).install(client, options));
}
