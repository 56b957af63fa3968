// Part of `npm run check`: imports that point up. The rules are in guards/layers.mjs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { importsOf } from './guards/imports.mjs';
import { wrongWay } from './guards/layers.mjs';
import { sources } from './guards/sources.mjs';
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = guardImports(process.argv[2]);
}
