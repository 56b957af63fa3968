import type { CueAnswer, ExecutionAnswer } from '@parley/protocol/delivery/types';
import { beforeAll, expect } from 'vitest';
import { systemRandom } from '../../platform/ids.ts';
import type { StartServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestOptions, TestServer } from '../../testing/start-server.ts';
import { CueClient } from './cue-client.ts';

const NINE = Date.UTC(2026, 5, 1, 9);

/** An owner with cues, on a clock that moves when told. */
export class CueScene {
  readonly clock: FakeClock;
  #server: TestServer | undefined;
  #max: CueClient | undefined;

  /** To be called where the suite is described. */
  constructor(start: StartServer, options: TestOptions = {}, at = NINE) {
    this.clock = new FakeClock(at);
    beforeAll(async () => {
      this.#server = await start({
        clock: this.clock,
        rateLimits: false,
        // Without jitter the schedule of attempts can be told exactly.
        random: { ...systemRandom, unit: () => 0.5 },
        ...options,
      });
      this.#max = await CueClient.register(this.#server);
    });
  }

  get server(): TestServer {
    if (!this.#server) throw new Error('the scene has not started');
    return this.#server;
  }

  get max(): CueClient {
    if (!this.#max) throw new Error('the scene has not started');
    return this.#max;
  }

  /** Passes time, and lets what fell due in it begin. */
  async later(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.clock.advance(0);
  }

  /** The runs of a cue once there are as many. */
  async runsOf({ id }: Pick<CueAnswer, 'id'>, count: number): Promise<ExecutionAnswer[]> {
    await expect.poll(async () => (await this.max.runs(id)).length).toBe(count);
    return await this.max.runs(id);
  }

  /** The newest run of a cue, once it is in a status. */
  async runIn({ id }: Pick<CueAnswer, 'id'>, status: string): Promise<ExecutionAnswer> {
    await expect.poll(async () => (await this.max.runs(id)).at(-1)?.status).toBe(status);
    const [run] = (await this.max.runs(id)).slice(-1);
    if (!run) throw new Error('there is no run');
    return run;
  }
}
