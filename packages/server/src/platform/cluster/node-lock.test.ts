import { existsSync, readFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { ask, freshTables, missingPostgres } from '../../testing/databases.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { TcpGate } from '../../testing/tcp-gate.ts';
import { createLog } from '../log.ts';
import { NodeLock } from './node-lock.ts';

const missing = missingPostgres();
const title = 'the place of a node';
/** The connections that hold one. */
const PLACES =
  "FROM pg_stat_activity WHERE application_name LIKE 'parley ________-%' AND datname = current_database()";
const log = createLog({ level: 'silent', secretPrefixes: [] });

const portAsHex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');

describe.skipIf(missing)(missing ? `${title} (not available: ${missing})` : title, () => {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  async function store(): Promise<string> {
    const place = await freshTables();
    cleanups.push(() => place.remove());
    return place.at.url;
  }

  async function take(url: string, node: string, { shared = true } = {}) {
    const clock = new FakeClock();
    const lock = new NodeLock({ url, shared, clock, log });
    cleanups.push(() => lock.release());
    await lock.take();
    await lock.prove(node);
    return { lock, clock };
  }

  test('is proven again and again until that holds: what held it before may outlast it for a while', async () => {
    const url = await store();
    const { lock: other } = await take(url, 'other');
    const earlier = new Client({ connectionString: url });
    await earlier.connect();
    await earlier.query(
      `SELECT pg_advisory_lock(hashtextextended('parley life ' || current_schema() || ' me', 0))`,
    );
    const { clock } = await take(url, 'me');
    expect(await other.isGone('me')).toBe(false);
    await earlier.end();
    await expect
      .poll(async () => {
        await clock.advance(500);
        return await other.isGone('me');
      })
      .toBe(false);
    // For good, without further attempts.
    for (let look = 0; look < 20; look++) expect(await other.isGone('me')).toBe(false);
  });

  test('tells of one whose process has ended that it is gone, to all who ask at once', async () => {
    const url = await store();
    const asking = [await take(url, 'a'), await take(url, 'b'), await take(url, 'c')];
    const { lock } = await take(url, 'ending');
    const look = () => Promise.all(asking.map(({ lock: other }) => other.isGone('ending')));
    expect(await look()).toEqual([false, false, false]);
    await lock.release();
    await expect.poll(look).toEqual([true, true, true]);
  });

  test('whose connection is cut without a word is given up with the next look, and taken anew', async () => {
    const url = new URL(await store());
    const { lock: other } = await take(url.href, 'other');
    const gate = new TcpGate(url.hostname, Number(url.port));
    cleanups.push(() => gate.close());
    url.port = String(await gate.open());
    const { lock, clock } = await take(url.href, 'me');
    await clock.advance(20_000);
    expect(lock.heldForMs).toBe(20_000);
    gate.shut();
    // Neither hangs: what cannot be told is not told.
    expect(await Promise.all([lock.isGone('other'), lock.confirm()])).toEqual([false, undefined]);
    expect(lock.held).toBe(false);
    gate.lift();
    await expect
      .poll(async () => {
        await clock.advance(500);
        return lock.held;
      })
      .toBe(true);
    expect(lock.heldForMs).toBeLessThan(20_000);
    await expect
      .poll(async () => {
        await clock.advance(500);
        return await other.isGone('me');
      })
      .toBe(false);
  }, 30_000);

  test('of a server alone is taken anew though the database takes its lost connection for living', async () => {
    const url = new URL(await store());
    const gate = new TcpGate(url.hostname, Number(url.port));
    cleanups.push(() => gate.close());
    url.port = String(await gate.open());
    const { lock, clock } = await take(url.href, 'me', { shared: false });
    gate.shut();
    await lock.confirm();
    expect(lock.held).toBe(false);
    gate.letOthersIn();
    await expect
      .poll(async () => {
        await clock.advance(500);
        return lock.held;
      })
      .toBe(true);
  }, 30_000);

  test('that another has for itself meanwhile is lost for good, and that is told', async () => {
    const url = await store();
    const { lock, clock } = await take(url, 'me', { shared: false });
    await ask(url, `SELECT pg_terminate_backend(pid) ${PLACES}`);
    await expect.poll(() => lock.held).toBe(false);
    await take(url, 'other', { shared: false });
    let told = false;
    void lock.taken.then(() => (told = true));
    await expect
      .poll(async () => {
        await clock.advance(500);
        return told;
      })
      .toBe(true);
    expect(lock.held).toBe(false);
  });

  const tcp = '/proc/net/tcp';
  const noticed = 'is free within half a minute when its machine goes without a word';
  test.skipIf(!existsSync(tcp))(existsSync(tcp) ? noticed : `${noticed} (no ${tcp} here)`, async () => {
    const url = new URL(await store());
    await take(url.href, 'me');
    const places = await ask<{ port: number }>(url.href, `SELECT client_port AS port ${PLACES}`);
    const [server, client] = [Number(url.port), ...places.map(({ port }) => port)].map(portAsHex);
    // The timer of the server's end, and in how many hundredths of a second it goes off: 02 asks for a sign of life.
    const timer = (): string[] =>
      readFileSync(tcp, 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .find(([, near, far]) => near?.endsWith(`:${server}`) && far?.endsWith(`:${client}`))?.[5]
        ?.split(':') ?? [];
    await expect.poll(() => timer()[0]).toBe('02');
    expect(Number.parseInt(timer()[1] ?? '', 16)).toBeLessThanOrEqual(1_000);
  });

  test('is given back without waiting for a database that hears nothing', async () => {
    const url = new URL(await store());
    const gate = new TcpGate(url.hostname, Number(url.port));
    cleanups.push(() => gate.close());
    url.port = String(await gate.open());
    const { lock } = await take(url.href, 'me');
    gate.shut();
    await lock.release();
    expect(lock.held).toBe(false);
  }, 30_000);
});
