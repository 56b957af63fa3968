// Part of `npm run check`: imports that point up, of which the rules are in guards/layers.mjs, and the length of style sheets.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { importsOf } from './guards/imports.mjs';
import { wrongWay } from './guards/layers.mjs';
import { sources, styles } from './guards/sources.mjs';
import { root } from './run.mjs';

/** Prints what is wrong and returns an exit code. */
export function guardImports(directory = root) {
  const wrong = sources(directory)
    .flatMap((file) => importsOf(file, readFileSync(join(directory, file), 'utf8')))
    .map((found) => ({ ...found, why: wrongWay(found) }))
    .filter(({ why }) => why !== undefined);
  for (const { from, line, to, why } of wrong)
    process.stdout.write(`${from}:${line} imports ${to}: ${why}\n`);
  return wrong.length === 0 ? 0 : 1;
}

/** Of sources the linter says it, which reads no style sheets. */
const MAX_LINES = 300;

export function guardStyles(directory = root) {
  const long = styles(directory)
    .map((file) => ({ file, lines: readFileSync(join(directory, file), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES);
  for (const { file, lines } of long)
    process.stdout.write(`${file} has ${lines} lines of at most ${MAX_LINES}\n`);
  return long.length === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = guardImports(process.argv[2]) || guardStyles(process.argv[2]);
}
