import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

describe('npm pack of the command line', () => {
  let server: TestServer;
  let project: string;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    project = mkdtempSync(join(tmpdir(), 'parley-pack-'));
    await run('npm', ['pack', '--pack-destination', project], { cwd: PACKAGE });
    const [tarball = ''] = readdirSync(project);
    writeFileSync(join(project, 'package.json'), '{"private":true}');
    // Offline: what it needs from elsewhere would be missing.
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`], { cwd: project });
  });
  afterAll(async () => {
    await server.close();
    rmSync(project, { recursive: true, force: true });
  });

  const installed = async (program: string, ...words: string[]): Promise<string> => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: project, PARLEY_URL: server.url };
    const { stdout } = await run(join(project, 'node_modules/.bin', program), words, { cwd: project, env });
    return stdout;
  };

  test('installs in an empty project, with nothing else', async () => {
    const modules = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(modules).toEqual(['@parley']);
    expect(readdirSync(join(project, 'node_modules/@parley'))).toEqual(['cli']);
    const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    expect(await installed('parley', '--version')).toBe(`${String(version)}\n`);
    expect(await installed('aya', '--version')).toBe(`${String(version)}\n`);
  });

  test('and works there: an agent is registered and says hello to itself', async () => {
    await installed('parley', 'agent', 'register', 'ann');
    await installed('parley', 'send', 'ann', 'hello');
    expect(await installed('parley', 'inbox')).toMatch(/^msg_\w{12}\t.*\thello$/m);
    expect(await installed('aya', 'init', '--aya-api-base-url', server.url)).toContain('"ok":true');
  });
});
