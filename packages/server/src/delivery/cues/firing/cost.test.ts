import { afterAll, describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../testing/start-server.ts';
import { statementsOf } from '../../../testing/statements.ts';
import { CueScene } from '../../testing/cue-scene.ts';

const MINUTE = 60_000;
/** What a message costs, counted in the test of the busiest requests. */
const MESSAGE = 6;
const TOGETHER = 11;
const NOTHING = async (): Promise<void> => {};

describe('cues › what a fire costs', () => {
  const servers: TestServer[] = [];
  const scene = new CueScene(
    async (options) => {
      const server = await startServer(options);
      servers.push(server);
      return server;
    },
    { callbackAllow: ['127.0.0.1'] },
  );
  afterAll(async () => {
    for (const server of servers) await server.close();
  });

  /** The statements of cues that fire in the same moment. */
  const fired = async (cue: object, count = 1, ready = NOTHING): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (let made = 0; made < count; made += 1) {
      const { id } = await scene.max.cue({ ...cue, schedule: { type: 'recurring', cron: '* * * * *' } });
      ids.push(id);
    }
    await ready();
    await scene.clock.leap(MINUTE);
    for (const id of ids) await scene.runsOf({ id }, 1);
    await ready();
    // The same again, once everything that hardly changes has been read.
    const statements = await statementsOf(() => scene.clock.leap(MINUTE));
    for (const id of ids) {
      await scene.runsOf({ id }, 2);
      await scene.max.patchCue(id, { status: 'paused' });
    }
    // From the claim of its timer on: other things are due at a full minute, too.
    return statements.slice(statements.findIndex((text) => /FROM cues WHERE id IN/.test(text)) - 1);
  };

  const cost = async (...asked: Parameters<typeof fired>): Promise<number> => (await fired(...asked)).length;

  /** Without what its delivery does afterwards. */
  const costUntilPosted = async (cue: object): Promise<number> => {
    const [, ...statements] = await fired(cue);
    const claimed = statements.findIndex((text) => /^\s*UPDATE jobs SET leased_by/.test(text));
    return 1 + (claimed === -1 ? statements.length : claimed);
  };

  test('at most four times what a message does, whoever it is for', async () => {
    await scene.max.create({ slug: 'bg', delivery_capabilities: ['bg', 'inbox'] });
    await scene.max.create({ slug: 'box' });
    await scene.max.create({ slug: 'app', delivery_capabilities: ['live', 'inbox'] });
    await scene.max.attach('app');
    const beat = async (): Promise<void> => void (await scene.max.session('POST', 'app', 'main/heartbeat'));
    const costs = {
      worker: await cost({ payload: { task: 't' } }),
      bg: await cost({ agent: 'bg' }),
      inbox: await cost({ agent: 'box' }),
      live: await cost({ agent: 'app', delivery_mode: 'live', live_fallback_mode: 'live_only' }, 1, beat),
      webhook: await costUntilPosted({ transport: 'webhook', callback: { url: 'http://127.0.0.1:9/' } }),
    };
    for (const [, statements] of Object.entries(costs)) {
      expect(statements).toBeGreaterThan(MESSAGE);
      expect(statements).toBeLessThanOrEqual(4 * MESSAGE);
    }
  });

  test('each further one of the same moment costs less than a message', async () => {
    for (const target of [{ payload: { task: 't' } }, { agent: 'bg' }, { agent: 'box' }]) {
      const further = ((await cost(target, TOGETHER)) - (await cost(target))) / (TOGETHER - 1);
      expect(further).toBeGreaterThan(1);
      expect(further).toBeLessThan(MESSAGE);
    }
  });
});
