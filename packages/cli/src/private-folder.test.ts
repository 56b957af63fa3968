import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeClosedFolder, makeFolder } from './private-folder.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test('folders are made for their owner, and only those of secrets are closed when they are there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [made, within] = [join(folder, 'made'), join(folder, 'made/within')];
  makeFolder(within);
  expect([modeOf(made), modeOf(within)]).toEqual(['700', '700']);
  chmodSync(within, 0o755);
  makeFolder(within);
  expect(modeOf(within)).toBe('755');
  makeClosedFolder(within);
  expect(modeOf(within)).toBe('700');
});
