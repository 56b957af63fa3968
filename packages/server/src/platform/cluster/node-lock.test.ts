import { Client } from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { freshTables, missingPostgres } from '../../testing/databases.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { TcpGate } from '../../testing/tcp-gate.ts';
import { createLog } from '../log.ts';
import { NodeLock } from './node-lock.ts';

const missing = missingPostgres();
const title = 'the place of a node';
const log = createLog({ level: 'silent', secretPrefixes: [] });

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

  async function take(url: string, node: string) {
    const clock = new FakeClock();
    const lock = new NodeLock({ url, shared: true, clock, log });
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
    const ask = () => Promise.all(asking.map(({ lock: other }) => other.isGone('ending')));
    expect(await ask()).toEqual([false, false, false]);
    await lock.release();
    await expect.poll(ask).toEqual([true, true, true]);
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
