import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

const MOST_BYTES = 900_000;

describe('installing from a server', () => {
  let server: TestServer;
  let home: string;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    home = mkdtempSync(join(tmpdir(), 'parley-install-'));
  });
  afterAll(async () => {
    await server.close();
    rmSync(home, { recursive: true, force: true });
  });

  async function sh(script: string, env: Record<string, string> = {}) {
    const child = spawn('sh', ['-c', script], {
      cwd: home,
      env: { PATH: process.env['PATH'] ?? '', HOME: home, URL: server.url, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    return { code, stdout, stderr };
  }

  test('the file is one, small, with its hash, and asked for again only when it changed', async () => {
    const answer = await fetch(`${server.url}/cli.mjs`);
    const file = await answer.text();
    const about = (await (await fetch(`${server.url}/cli.json`)).json()) as Record<string, unknown>;
    const sha256 = createHash('sha256').update(file).digest('hex');
    expect(about).toMatchObject({ url: `${server.url}/cli.mjs`, sha256, bytes: Buffer.byteLength(file) });
    expect(Buffer.byteLength(file)).toBeLessThan(MOST_BYTES);
    expect(file).toContain(server.url);
    expect(answer.headers.get('etag')).toBe(`"${sha256}"`);
    const headers = { 'if-none-match': `"${sha256}"` };
    expect((await fetch(`${server.url}/cli.mjs`, { headers })).status).toBe(304);
  });

  test('a fresh folder has it by curl and sh, and says hello to an agent, in under ten seconds', async () => {
    const begun = performance.now();
    const installed = await sh('curl -fsS "$URL/install.sh" | sh');
    expect([installed.code, installed.stdout]).toEqual([0, expect.stringContaining('Next: ')]);
    const said = await sh('parley agent register ann && parley send ann "hello" && parley inbox', {
      PATH: `${home}/.local/bin:${process.env['PATH']}`,
    });
    expect([said.code, said.stderr]).toEqual([0, '']);
    expect(said.stdout).toMatch(/^msg_\w{12}\t.*\thello$/m);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(readdirSync(join(home, '.local/bin'))).toEqual(['parley']);
    expect(statSync(join(home, '.local/bin/parley')).mode & 0o111).toBe(0o111);
    expect(readdirSync(home).toSorted()).toEqual(['.config', '.local']);
  });

  test('the bridge is in it: an agent of the same owner is started by a message', async () => {
    const env = { PATH: `${home}/.local/bin:${process.env['PATH']}` };
    const setUp = await sh('parley bridge init ann -- tee heard && parley doctor', env);
    expect(setUp.stdout).toContain('ann is set up');
    const bridge = spawn(join(home, '.local/bin/parley'), ['bridge', 'run'], {
      cwd: home,
      env: { HOME: home, ...env },
      stdio: 'ignore',
    });
    onTestFinished(() => void bridge.kill('SIGKILL'));
    const ended = new Promise<number | null>((resolve) => bridge.once('close', resolve));
    await sh('parley send ann "wake up"', env);
    await expect
      .poll(() => existsSync(join(home, 'heard')) && readFileSync(join(home, 'heard'), 'utf8'))
      .toContain('wake up');
    await expect.poll(async () => (await sh('parley bridge status --wakes', env)).stdout).toContain('done');
    bridge.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  test('aya is in it, and is what a link of that name is; it knows the server, too', async () => {
    const bin = join(home, '.local/bin');
    const named = await sh(`parley aya init --generate-hook-token && parley aya status`, {
      PATH: `${bin}:${process.env['PATH']}`,
    });
    expect([named.code, named.stderr]).toEqual([0, '']);
    const [made, shown] = named.stdout.trim().split('\n');
    expect(JSON.parse(made ?? '')).toEqual({ ok: true, config_path: join(home, '.areyouai/config.json') });
    expect(JSON.parse(shown ?? '')).toMatchObject({ api_base_url: server.url, has_session: false });
    const linked = await sh(
      `ln -s parley ${bin}/aya && ${bin}/aya serve; echo $?; ${bin}/aya login --api-key ''; echo $?`,
    );
    expect(linked.stdout).toBe('3\n3\n');
    expect(linked.stderr).toMatch(/^aya: nobody is logged in\naya: log in again/);
  });

  test('no name by which it is asked for becomes a word of the script or of the program', async () => {
    for (const path of ['install.sh', 'cli.mjs', 'cli.json']) {
      for (const host of ["a';touch x;'", 'a"b', 'a$(touch x)', 'a`touch x`', 'a\\b']) {
        const asked = await sh(`curl -s -w ' %{http_code}' -H "$HOST" "$URL/${path}"`, {
          HOST: `Host: ${host}`,
        });
        expect([path, host, asked.stdout]).toEqual([path, host, expect.stringMatching(/ 400$/)]);
      }
    }
  });

  test('works from standard input, elsewhere, and says what needs the server', async () => {
    const piped = await sh('curl -fsS "$URL/cli.mjs" | node - status');
    expect([piped.code, piped.stdout]).toEqual([0, expect.stringContaining(`Server\t${server.url}`)]);
    const elsewhere = await sh('curl -fsS "$URL/install.sh" | sh', { PARLEY_BIN: join(home, 'tools') });
    expect(elsewhere.stdout).toContain(join(home, 'tools/parley'));
    const refused = spawnSync(join(home, 'tools/parley'), ['serve'], { encoding: 'utf8' });
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringContaining('no server in this program'),
    ]);
  });

  test('a file that is not what the server says is not installed', async () => {
    const lies = await sh(
      'curl() { case "$*" in *cli.json*) echo "{\\"sha256\\":\\"0\\"}";; *) command curl "$@";; esac; }; ' +
        'eval "$(command curl -fsS "$URL/install.sh")"',
      { PARLEY_BIN: join(home, 'other') },
    );
    expect([lies.code, lies.stderr]).toEqual([1, expect.stringContaining('not what the server says')]);
    expect(readdirSync(join(home, 'other'))).toEqual([]);
  });
});
