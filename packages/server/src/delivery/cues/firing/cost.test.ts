import { afterAll, describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../testing/start-server.ts';
import { statementsOf } from '../../../testing/statements.ts';
import { CueScene } from '../../testing/cue-scene.ts';

const MINUTE = 60_000;
/** What a message costs, counted in the test of the busiest requests. */
const MESSAGE = 6;
const TOGETHER = 11;

describe('cues › what a fire costs', () => {
  const servers: TestServer[] = [];
  const scene = new CueScene(async (options) => {
    const server = await startServer(options);
    servers.push(server);
    return server;
  });
  afterAll(async () => {
    for (const server of servers) await server.close();
  });

  /** The statements of cues that fire in the same moment. */
  const cost = async (cue: object, count = 1): Promise<number> => {
    const ids: string[] = [];
    for (let made = 0; made < count; made += 1) {
      const { id } = await scene.max.cue({ ...cue, schedule: { type: 'recurring', cron: '* * * * *' } });
      ids.push(id);
    }
    await scene.clock.leap(MINUTE);
    for (const id of ids) await scene.runsOf({ id }, 1);
    // The same again, once everything that hardly changes has been read.
    const statements = await statementsOf(() => scene.clock.leap(MINUTE));
    for (const id of ids) {
      await scene.runsOf({ id }, 2);
      await scene.max.patchCue(id, { status: 'paused' });
    }
    // From the claim of its timer on: other things are due at a full minute, too.
    return statements.length - statements.findIndex((text) => /FROM cues WHERE id IN/.test(text)) + 1;
  };

  test('at most four times what a message does, whoever it is for', async () => {
    await scene.max.create({ slug: 'bg', delivery_capabilities: ['bg', 'inbox'] });
    await scene.max.create({ slug: 'box' });
    const costs = {
      worker: await cost({ payload: { task: 't' } }),
      bg: await cost({ agent: 'bg' }),
      inbox: await cost({ agent: 'box' }),
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
