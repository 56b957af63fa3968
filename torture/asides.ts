import { setTimeout as sleep } from 'node:timers/promises';
import { Table } from './actors/rooms.ts';
import { Caller } from './caller.ts';
import type { Crowd } from './crowd.ts';
import { Follower } from './follower.ts';
import type { SeededRandom } from './random.ts';
import type { Nodes } from './stand/nodes.ts';
import type { Tally } from './tally.ts';

const REDIS_GONE_MS = 20_000;
const FROZEN_MS = 60_000;
const CUT_OFF_MS = 20_000;
const APART_MS = 20_000;
const MINUTES_5 = 300_000;
/** The balancer looks every half second, and believes what it saw twice. */
const SEEN_MS = 2_000;

/** What is promised. */
const SAID_MS = 5_000;
const RECOVERED_MS = 5_000;
const HEARD_WITHOUT_REDIS_MS = 6_000;
const WELL_AFTER_REDIS_MS = 2_000;

export interface Scene {
  readonly nodes: Nodes;
  readonly random: SeededRandom;
  readonly crowd: Crowd;
  readonly tally: Tally;
  readonly patience: number;
}

/** What befalls the nodes between two kills, now and then. */
export const ASIDES = {
  /** Nodes come back by themselves; one that ended instead is an error. */
  async postgres({ nodes, tally, patience }: Scene) {
    await nodes.postgres.restart();
    const began = performance.now();
    await Promise.all(nodes.all.map((node) => node.ready()));
    tally.took('coming back after PostgreSQL', performance.now() - began, RECOVERED_MS * patience);
  },
  /** Channels say 503, who listens hears later, and all is well soon after its return. */
  async redis({ nodes, crowd, tally, patience }: Scene) {
    const caller = new Caller(() => nodes.url, tally);
    const table = new Table(caller);
    await table.sit('listened to');
    const room = await table.open();
    const follower = new Follower(() => nodes.url, room.id, table.session ?? '');
    await nodes.redis.kill();
    crowd.forget();
    const until = performance.now() + REDIS_GONE_MS;
    while (performance.now() < until) {
      const opened = await caller.once({ method: 'POST', path: '/channels', body: {} });
      if (opened && opened.status !== 503)
        tally.wrong.push(`a channel without Redis was answered ${opened.status}`);
      await table.speak(room, `without Redis ${room.turns}`);
      const spoken = performance.now();
      await follower.heard(room.turns, HEARD_WITHOUT_REDIS_MS * patience);
      tally.took('hearing without Redis', performance.now() - spoken, HEARD_WITHOUT_REDIS_MS * patience);
    }
    await nodes.redis.startAgain();
    const back = performance.now();
    await Promise.all(
      nodes.all.map(async ({ url }) => {
        const one = new Caller(() => url, tally);
        await one.must({ method: 'POST', path: '/channels', body: {} });
        one.close();
      }),
    );
    tally.took('channels after Redis', performance.now() - back, WELL_AFTER_REDIS_MS * patience);
    await follower.stop();
    caller.close();
  },
  /** Longer than any lease, than a transaction may stand still and than a check of the balancer. */
  async freeze({ nodes, random }: Scene) {
    const node = random.one(nodes.all);
    node.signal('SIGSTOP');
    await sleep(FROZEN_MS);
    node.signal('SIGCONT');
    await node.ready();
  },
  /** One after the other, in order: nobody is refused or cut. */
  async rolling({ nodes, tally }: Scene) {
    await sleep(SEEN_MS);
    await tally.sparing('while nodes were restarted in turn', async () => {
      for (const node of nodes.all) {
        await node.end('SIGTERM');
        await node.start();
        await sleep(SEEN_MS);
      }
    });
  },
  /** One goes by the time of the database, one is five minutes ahead of it and one behind, until they are set right again. */
  async clocks({ nodes, tally }: Scene) {
    const off = [0, MINUTES_5, -MINUTES_5];
    const set = async (clocks: readonly number[]): Promise<void> => {
      for (const [index, node] of nodes.all.entries()) {
        await node.end('SIGKILL');
        await node.start({ clockOffMs: clocks[index] ?? 0 });
      }
    };
    await set(off);
    await sleep(APART_MS);
    for (const [index, node] of nodes.all.entries())
      if (off[index] !== 0 && !node.hasSaid('clock_differs'))
        tally.wrong.push(`node ${index} did not notice that its clock is wrong`);
    await set([]);
  },
  /** The cable between a node and PostgreSQL is pulled, and put back. */
  async cut({ nodes, tally, patience }: Scene) {
    const { node, gate } = nodes.gated;
    const said = SAID_MS * patience;
    gate.shut();
    const shut = performance.now();
    while ((await node.statusOf('/ready')) !== 503 && performance.now() < shut + 2 * said) await sleep(50);
    tally.took('saying that PostgreSQL is cut off', performance.now() - shut, said);
    const health = await node.statusOf('/health');
    if (health !== 200) tally.wrong.push(`/health of a node cut off from PostgreSQL was answered ${health}`);
    await sleep(CUT_OFF_MS);
    gate.lift();
    await node.ready();
  },
};

export type Aside = keyof typeof ASIDES;
export const ASIDE_NAMES = Object.keys(ASIDES) as Aside[];
