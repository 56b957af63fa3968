import { basename } from 'node:path';
import { run } from './main.ts';

// What the one bundled file runs. Called by the name of `aya` it is that.
const [, file = '', ...words] = process.argv;
void run(basename(file) === 'aya' ? ['aya', ...words] : words).then((code) => {
  process.exitCode = code;
});
