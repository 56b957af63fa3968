import {
  type BackupMadeAnswer,
  type BackupsAnswer,
  CONSOLE_SYSTEM_ROUTES,
  type DeadJobsAnswer,
  type InviteMadeAnswer,
  type ServerSettingsAnswer,
  type SystemAnswer,
} from '@parley/protocol/console/system-routes';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { People } from '../identity/testing/people.ts';
import { sql } from '../platform/database/sql.ts';
import { DeadJobError } from '../platform/jobs/errors.ts';
import { freshTables, missingPostgres } from '../testing/databases.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { missingRedis, startRedis } from '../testing/redis.ts';
import { startServer, type TestServer } from '../testing/start-server.ts';
import { PersonClient } from './testing/person-client.ts';

describeEachServer('console › system', (start, dialect) => {
  let server: TestServer;
  let operator: PersonClient;
  let anns: PersonClient;
  let ran = 0;
  let well = false;

  beforeAll(async () => {
    server = await start({ rateLimits: false });
    operator = await PersonClient.operator(server);
    const ann = await new People(server).owner('ann@example.com');
    anns = await PersonClient.signIn(server, { api_key: ann.key });
    server.context.jobs.define('test.fragile', {
      handler: async () => {
        ran += 1;
        if (!well) throw new DeadJobError('the bridge was up');
      },
    });
  });

  const die = async (options: { key?: string } = {}): Promise<string> => {
    const { database, jobs } = server.context;
    const before = (await dead()).count;
    await database.write((tx) => jobs.enqueue(tx, 'test.fragile', { password: 'hunter2' }, options));
    await expect.poll(async () => (await dead()).count).toBe(before + 1);
    return (await dead()).jobs[0]?.id ?? '';
  };
  const dead = () => operator.read<DeadJobsAnswer>('/v1/console/jobs/dead');

  test('is for operators: an owner is refused on every route', async () => {
    for (const { method, path } of CONSOLE_SYSTEM_ROUTES) {
      const { status } = await anns.call(method, path.replace(/\{\w+\}/, '1'), {
        ...(method === 'PUT' && { body: { level: 'error' } }),
      });
      expect(status, `${method} ${path}`).toBe(403);
    }
    expect((await anns.call('GET', '/v1/console/channels')).status).toBe(403);
  });

  test('says how the server is', async () => {
    const system = await operator.read<SystemAnswer>('/v1/console/system');
    expect(system.database.kind).toBe(dialect);
    expect(system.database.bytes).toBeGreaterThan(10_000);
    expect(system.nodes.filter(({ self, alive }) => self && alive)).toHaveLength(1);
    expect(system.memory.rss).toBeGreaterThan(1_000_000);
    expect(system.history.memory).toHaveLength(1);
    expect(system.log_level).toBe('info');
    for (const { path, method, answer } of CONSOLE_SYSTEM_ROUTES) {
      if (method !== 'GET' || !answer) continue;
      expect(answer.safeParse(await operator.read(path)).error, path).toBeUndefined();
    }
  });

  test('names the slowest statements with how long they took, in milliseconds', async () => {
    for (const ms of [50_000, 70_000]) {
      server.context.database.slow.note(() => 'SELECT of a long day', performance.now() - ms);
    }
    const { slowest } = (await operator.read<SystemAnswer>('/v1/console/system')).database;
    const [{ text, count, mean_ms, longest_ms } = expect.fail('no statement')] = slowest;
    expect([text, count]).toEqual(['SELECT of a long day', 2]);
    expect(mean_ms / 60_000).toBeCloseTo(1, 2);
    expect(longest_ms / 70_000).toBeCloseTo(1, 2);
  });

  test('a job that gave up is retried once its cause is mended, and nothing of its payload is shown', async () => {
    const id = await die();
    expect(JSON.stringify(await dead())).not.toContain('hunter2');
    expect((await dead()).jobs[0]).toMatchObject({ kind: 'test.fragile', error: 'the bridge was up' });
    well = true;
    const runs = ran;
    expect((await operator.call('POST', `/v1/console/jobs/dead/${id}/retry`)).status).toBe(200);
    await expect.poll(() => ran).toBe(runs + 1);
    await expect.poll(async () => (await dead()).count).toBe(0);
    expect((await operator.call('POST', `/v1/console/jobs/dead/${id}/retry`)).status).toBe(404);
  });

  test('one whose work another does is not retried, but dropped', async () => {
    well = false;
    const id = await die({ key: 'once' });
    const { database, jobs, clock } = server.context;
    const later = { key: 'once', dueAt: clock.now() + 3_600_000 };
    await database.write((tx) => jobs.enqueue(tx, 'test.fragile', null, later));
    expect((await operator.call('POST', `/v1/console/jobs/dead/${id}/retry`)).status).toBe(409);
    expect((await operator.call('DELETE', `/v1/console/jobs/dead/${id}`)).status).toBe(204);
    expect((await operator.call('DELETE', `/v1/console/jobs/dead/${id}`)).status).toBe(404);
    expect((await operator.call('DELETE', '/v1/console/jobs/dead/zero')).status).toBe(404);
    const { queues } = await operator.read<SystemAnswer>('/v1/console/system');
    expect(queues.find(({ kind }) => kind === 'test.fragile')).toMatchObject({ waiting: 1, due: 0 });
  });

  test('a backup is made, listed and taken along; the three newest stay', async () => {
    const make = () => operator.call<BackupMadeAnswer>('POST', '/v1/console/backup');
    if (dialect === 'postgres') {
      expect((await make()).status).toBe(409);
      expect((await operator.read<BackupsAnswer>('/v1/console/backup')).supported).toBe(false);
      return;
    }
    const { body } = await make();
    expect(body.name).toMatch(/^parley-\d{8}-\d{6}\.db$/);
    const { backups, downloads } = await operator.read<BackupsAnswer>('/v1/console/backup');
    expect([backups.map(({ name }) => name), downloads]).toEqual([[body.name], true]);
    const taken = await operator.call('GET', `/v1/console/backup/${body.name}`);
    expect(taken.headers['content-type']).toBe('application/octet-stream');
    expect(taken.text.slice(0, 15)).toBe('SQLite format 3');
    for (const name of ['parley-20200101-000000.db', '..%2Fparley.db', 'parley.db'])
      expect((await operator.call('GET', `/v1/console/backup/${name}`)).status).toBe(404);
  });

  test('every setting is told with where it came from, and no secret', async () => {
    const { settings } = await operator.read<ServerSettingsAnswer>('/v1/console/settings');
    const of = (name: string) => settings.find((each) => each.name === name);
    expect(of('rate_limits')).toMatchObject({
      value: false,
      from: 'program',
      variable: 'PARLEY_RATE_LIMITS',
    });
    expect(of('dead_job_days')).toMatchObject({ from: 'default' });
    if (dialect === 'postgres') expect(of('database_url')?.value).toBe('(set)');
  });

  test('an invite is shown once, the log level is changed, and all of it is noted', async () => {
    const { body, status } = await operator.call<InviteMadeAnswer>('POST', '/v1/console/invites');
    expect([status, body.code.length > 20]).toEqual([201, true]);
    expect((await operator.call('PUT', '/v1/console/log-level', { body: { level: 'error' } })).status).toBe(
      200,
    );
    expect(server.context.log.level).toBe('error');
    expect((await operator.call('PUT', '/v1/console/log-level', { body: { level: 'loud' } })).status).toBe(
      422,
    );
    await operator.call('PUT', '/v1/console/log-level', { body: { level: 'info' } });
    const lines = await server.context.database.read.all<{ action: string; object: string }>(
      sql`SELECT action, object FROM console_audit WHERE actor = 'operator'`,
    );
    expect(lines.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['retried_job', 'dropped_job', 'invited', 'set_log_level']),
    );
    expect(JSON.stringify(lines)).not.toContain(body.code);
  });
});

const missing = missingPostgres() ?? missingRedis();
const title = 'console › system of two nodes';

/** What a node says of all. */
const listed = async (node: TestServer): Promise<string[]> => {
  const operator = await PersonClient.operator(node);
  const { nodes } = await operator.read<SystemAnswer>('/v1/console/system');
  return nodes
    .map(({ url, alive, self }) => `${url}${alive ? ' lives' : ''}${self ? ', this one' : ''}`)
    .toSorted();
};

describe.skipIf(missing)(missing ? `${title} (not available: ${missing})` : title, () => {
  const cleanups: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  test('each lists both, and itself as the one that answers, until the other has stopped', async () => {
    const redis = await startRedis();
    cleanups.push(() => redis.stop());
    const place = await freshTables();
    cleanups.push(() => place.remove());
    const start = async (name: string): Promise<TestServer> => {
      const node = await startServer({
        databaseUrl: place.at.url,
        redisUrl: redis.url,
        secretKey: '5'.repeat(64),
        nodeUrl: `http://${name}.test`,
      });
      cleanups.push(() => node.close());
      return node;
    };
    const [one, two] = [await start('one'), await start('two')];
    const [first, second] = ['http://one.test lives', 'http://two.test lives'];
    expect(await listed(one)).toEqual([`${first}, this one`, second]);
    expect(await listed(two)).toEqual([first, `${second}, this one`]);
    await two.close();
    expect(await listed(one)).toEqual([`${first}, this one`]);
  });
});
