import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OF_ONE_PROCESS } from './one-process.ts';

test.each(OF_ONE_PROCESS)('$file: there is a test named "$title"', ({ file, title }) => {
  const source = readFileSync(new URL(`../${file}.test.ts`, import.meta.url), 'utf8');
  expect(source).toContain(title);
});
