import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { freshTables, missingPostgres } from '../../packages/server/src/testing/databases.ts';
import { freePort } from '../../packages/server/src/testing/free-port.ts';
import { readImage, unpackImage } from './image.ts';
import { at, wordAt, readYaml, type Yaml } from './plain-yaml.ts';
import { start, type Started } from './started.ts';

const read = (name: string): string => readFileSync(join(process.cwd(), 'deploy', name), 'utf8');
const redis = inject('redis');
const missing = missingPostgres() ?? ('missing' in redis ? redis.missing : undefined);
const named = (title: string): string => (missing ? `${title} (not available: ${missing})` : title);
const SECRET_KEY = '5'.repeat(64);

const statusOf = (url: string): Promise<number> =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  );

/** Waits until it does; what it said else tells why not. */
async function answers(url: string, started: Started): Promise<void> {
  try {
    await expect.poll(() => statusOf(url)).toBe(200);
  } catch (error) {
    throw new Error(`${url} is not answered: ${started.said()}`, { cause: error });
  }
}

/** Start commands of deploy/, run as they stand but for places and ports. */
describe('deploy/ starts', () => {
  const words = readImage();
  const image = { folder: '', remove: () => {} };
  const cleanups: (() => unknown)[] = [];
  beforeAll(() => void Object.assign(image, unpackImage(words)));
  afterAll(() => image.remove());
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  function folder(): string {
    const made = mkdtempSync(join(tmpdir(), 'parley-deploy-'));
    cleanups.push(() => rmSync(made, { recursive: true, force: true }));
    return made;
  }

  function run(command: readonly string[], env: Readonly<Record<string, string>>, cwd: string): Started {
    const started = start(command, { env, cwd });
    cleanups.push(() => started.kill());
    return started;
  }

  /** A container of the image with these settings, on a port of its own. */
  async function container(settings: Readonly<Record<string, string>>, args = words.command) {
    const env = {
      ...words.env,
      ...settings,
      PARLEY_DATA_DIR: folder(),
      PARLEY_PORT: String(await freePort()),
    };
    const started = run([...words.entrypoint, ...args], env, image.folder);
    const [program = '', ...how] = words.healthcheck;
    expect(program).toBe('node');
    return {
      env,
      started,
      url: `http://127.0.0.1:${env.PARLEY_PORT}`,
      health: () => spawnSync(process.execPath, how, { env: { ...process.env, ...env } }).status,
    };
  }

  test('the container with what it has, is found healthy, and ends when asked', async () => {
    const { started, url, health } = await container({});
    await answers(`${url}/ready`, started);
    expect(health()).toBe(0);
    expect(await statusOf(`${url}/guide`)).toBe(200);
    expect(await started.end()).toBe(0);
    expect(health()).toBe(1);
  });

  async function runRedis(file: Yaml | undefined): Promise<number> {
    const port = String(await freePort());
    const [, ...options] = at(file, 'services', 'redis', 'command') as string[];
    const program = 'program' in redis ? redis.program : '';
    const place = ['--port', port, '--bind', '127.0.0.1'];
    run([program, ...options, ...place], {}, folder());
    const [, check = '', ...how] = at(file, 'services', 'redis', 'healthcheck', 'test') as string[];
    await expect
      .poll(() => spawnSync(check, ['-p', port, ...how], { encoding: 'utf8' }).stdout)
      .toBe('PONG\n');
    return Number(port);
  }

  test.skipIf(missing)(
    named('the nodes of compose on their Redis, which keeps nothing on disk, and lists each of them'),
    async () => {
      const [file] = readYaml(read('compose.cluster.yaml'));
      const port = await runRedis(file);
      const place = await freshTables();
      cleanups.push(() => place.remove());
      const nodes = [];
      for (const name of ['node1', 'node2']) {
        const said = at(file, 'services', name, 'environment') as Record<string, string>;
        const node = await container({
          ...said,
          PARLEY_DATABASE_URL: place.at.url,
          PARLEY_REDIS_URL: (said['PARLEY_REDIS_URL'] ?? '').replace('//redis:6379', `//127.0.0.1:${port}`),
          PARLEY_SECRET_KEY: SECRET_KEY,
          PARLEY_CHANNELS_STRICT: 'on',
        });
        await answers(`${node.url}/ready`, node.started);
        expect(node.started.said()).not.toContain('channels_may_reach_disk');
        nodes.push(node);
      }
      const lister = run([...words.entrypoint, 'nodes', '--json'], nodes[0]?.env ?? {}, image.folder);
      expect(await lister.ended).toBe(0);
      const listed = lister.said().trim().split('\n');
      const urls = listed.map((line) => (JSON.parse(line) as { url: string }).url);
      expect(urls.toSorted()).toEqual(['http://node1:7330', 'http://node2:7330']);
      // Within the time that compose gives them.
      const grace = Number.parseInt(wordAt(file, 'services', 'node1', 'stop_grace_period'), 10);
      const asked = performance.now();
      expect(await Promise.all(nodes.map(({ started }) => started.end()))).toEqual([0, 0]);
      expect(performance.now() - asked).toBeLessThan(grace * 1000);
    },
  );

  test.skipIf(missing)(
    named('the pod of Kubernetes with its arguments, and its probes find it'),
    async () => {
      const [deployment] = readYaml(read('kubernetes/parley.yaml'));
      const pod = at(deployment, 'spec', 'template', 'spec', 'containers', 0);
      const [file] = readYaml(read('compose.cluster.yaml'));
      const port = await runRedis(file);
      const place = await freshTables();
      cleanups.push(() => place.remove());
      const list = at(pod, 'env') as readonly { name: string; value?: string }[];
      const told = Object.fromEntries(list.map(({ name, value = '10.244.3.7' }) => [name, value]));
      const said = Object.fromEntries(
        Object.entries(told).map(([name, value]) => [
          name,
          value.replaceAll(/\$\((\w+)\)/g, (_, other: string) => told[other] ?? ''),
        ]),
      );
      const { url, started, env } = await container(
        {
          ...said,
          PARLEY_DATABASE_URL: place.at.url,
          PARLEY_REDIS_URL: `redis://127.0.0.1:${port}`,
          PARLEY_SECRET_KEY: SECRET_KEY,
        },
        at(pod, 'args') as string[],
      );
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
        const path = wordAt(pod, probe, 'httpGet', 'path');
        await answers(`${url}${path}`, started);
      }
      const lister = run([...words.entrypoint, 'nodes', '--json'], env, image.folder);
      await lister.ended;
      expect(JSON.parse(lister.said())).toMatchObject({ url: 'http://10.244.3.7:7330' });
      expect(await started.end()).toBe(0);
    },
  );

  describe('the unit of systemd', () => {
    const unit = read('systemd/parley.service');
    const said = (name: string): string[] =>
      [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
    const command = (said('ExecStart')[0] ?? '')
      .replace('/usr/bin/node', process.execPath)
      .replace('/opt/parley', process.cwd())
      .split(' ');
    const settings = (state: string): Record<string, string> =>
      Object.fromEntries(
        said('Environment').map((pair) => pair.replace('/var/lib/parley', state).split('=')),
      );

    test('with its command, and ends when asked', async () => {
      const state = folder();
      const env = { ...settings(state), PARLEY_PORT: String(await freePort()) };
      expect(env).toMatchObject({ PARLEY_DATA_DIR: state });
      const started = run(command, env, state);
      const url = `http://127.0.0.1:${env.PARLEY_PORT}`;
      await answers(`${url}/ready`, started);
      const asked = performance.now();
      expect(await started.end()).toBe(0);
      expect(performance.now() - asked).toBeLessThan(Number(said('TimeoutStopSec')[0]) * 1000);
    });

    test('not again and again on a setting that is wrong', async () => {
      const state = folder();
      const started = run(command, { ...settings(state), PARLEY_PORT: 'seven' }, state);
      expect(String(await started.ended), started.said()).toBe(said('RestartPreventExitStatus')[0]);
    });
  });
});
