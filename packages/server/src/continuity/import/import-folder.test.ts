import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { LARGEST_DOCUMENT, readDocument, UnreadableDocument } from './import-folder.ts';

const read = (file: string) => readDocument({ path: 'memory/continuity/user-a.json', file });

describe('continuity › a document of a folder', () => {
  const root = mkdtempSync(join(tmpdir(), 'parley-document-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test('is read whole, up to the largest there may be', async () => {
    const file = join(root, 'large');
    writeFileSync(file, 'x');
    truncateSync(file, LARGEST_DOCUMENT);
    expect(await read(file)).toHaveLength(LARGEST_DOCUMENT);
    truncateSync(file, LARGEST_DOCUMENT + 1);
    await expect(read(file)).rejects.toThrow(`larger than ${LARGEST_DOCUMENT} bytes`);
    truncateSync(file, 0);
    expect(await read(file)).toHaveLength(0);
  });

  test('what was put in its place meanwhile is not waited for, and not read without end', async () => {
    const pipe = join(root, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const file of [pipe, '/dev/zero', root]) {
      await expect(read(file)).rejects.toThrow(UnreadableDocument);
    }
  });
});
