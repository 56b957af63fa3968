import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startChild } from './testing/child-program.ts';

test('a server whose stop fails says so once, as its last word, and ends with 1', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const server = await startChild('serve-and-fail-to-stop', [dataDir]);
  await server.until((line) => line.includes('"listening"'));
  const closed = once(server.process, 'close');
  server.process.kill('SIGTERM');
  server.process.kill('SIGINT');
  expect(await closed).toEqual([1, null]);
  const said = server.lines.filter((line) => line.includes('stop_failed'));
  expect(said).toEqual([expect.stringContaining('the door is stuck')]);
  expect(server.lines.at(-1)).toBe(said[0]);
  rmSync(dataDir, { recursive: true, force: true });
});
