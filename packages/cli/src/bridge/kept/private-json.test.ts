import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writePrivateJson } from './private-json.ts';

test('a draft that a killed process of the same id left is in nobody’s way', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-json-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const left = Array.from({ length: 20 }, (_, n) => `.state.json.${process.pid}-${n}.tmp`);
  for (const name of left) writeFileSync(join(folder, name), '{');
  const path = join(folder, 'state.json');
  for (const n of [1, 2]) writePrivateJson(path, { n });
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ n: 2 });
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  expect(readdirSync(folder).toSorted()).toEqual([...left, 'state.json'].toSorted());
});
