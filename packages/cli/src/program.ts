import { run } from './main.ts';

// What the one bundled file runs.
void run(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
