import { expect, inject, test } from 'vitest';
import { missingPostgres } from '../packages/server/src/testing/databases.ts';
import { KINDS } from './crowd.ts';
import { tortureCluster } from './cluster.ts';
import { rollingRestart } from './rolling-restart.ts';
import { Nodes } from './stand/nodes.ts';
import { Tally } from './tally.ts';

const [redis, haproxy] = [inject('redis'), inject('haproxy')];
const missing =
  missingPostgres() ??
  ('missing' in redis ? redis.missing : undefined) ??
  ('missing' in haproxy ? haproxy.missing : undefined);
const named = (title: string): string => (missing ? `${title} (not available: ${missing})` : title);

test.skipIf(missing)(
  named('three nodes, one killed with -9, and a PostgreSQL that crashes lose and double nothing'),
  async () => {
    const said: string[] = [];
    const say = (line: string): void => void said.push(line);
    const tally = new Tally();
    await tortureCluster({
      tally,
      // Shared with other tests.
      patience: 3,
      settleMs: 0,
      kills: 1,
      writes: 300,
      seed: 1,
      share: 0.1,
      say,
      asides: ['postgres'],
      asideEvery: 1,
    });
    expect({ lost: tally.lost, doubled: tally.doubled, wrong: tally.wrong }, said.join('\n')).toEqual({
      lost: [],
      doubled: [],
      wrong: [],
    });
    expect(tally.total).toBeGreaterThan(299);
    for (const kind of KINDS) expect(tally.byKind).toContain(kind);
    expect(tally.times).toContain('coming back after PostgreSQL');
  },
  240_000,
);

test.skipIf(missing)(
  named(
    'nodes restarted in turn behind HAProxy refuse and cut no request, and a stream goes on without a gap',
  ),
  async () => {
    const nodes = await Nodes.start(3);
    try {
      const { requests, failures, spoken, heard, cuts } = await rollingRestart(nodes);
      expect(failures).toEqual([]);
      expect(requests).toBeGreaterThan(20);
      expect(heard).toEqual(spoken);
      expect(cuts).toBeGreaterThan(0);
    } finally {
      await nodes.stop();
    }
  },
  240_000,
);
