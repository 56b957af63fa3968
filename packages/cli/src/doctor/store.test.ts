import { damageStore } from '@parley/server/platform/storage/testing/damage-store';
import { startServer } from '@parley/server/testing/start-server';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Terminal } from '../testing/run-parley.ts';

describe('parley doctor --store', () => {
  let terminal: Terminal;
  let dataDir: string;
  beforeEach(() => {
    terminal = new Terminal({});
    dataDir = mkdtempSync(join(tmpdir(), 'parley-doctor-'));
  });
  afterEach(() => {
    terminal.remove();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const doctor = (...more: string[]) => terminal.run(['doctor', '--store', '--data-dir', dataDir, ...more]);

  test('says that a store is sound, while its server runs, and what is wrong with a damaged one', async () => {
    const server = await startServer({ dataDir });
    expect(await doctor()).toMatchObject({ code: 0, stdout: `${join(dataDir, 'parley.db')} is sound\n` });
    await server.close();
    damageStore(join(dataDir, 'parley.db'));
    const damaged = await doctor();
    expect(damaged.code).toBe(1);
    expect(damaged.stderr).toContain('is damaged');
    expect(damaged.stderr).toContain('restore the latest backup');
  });

  test('makes no store where there is none', async () => {
    const { code, stderr } = await doctor();
    expect(code).toBe(1);
    expect(stderr).toContain(`there is no store in ${dataDir}`);
  });
});
