import { beforeAll, beforeEach } from 'vitest';
import type { MessageAnswer } from '@parley/protocol/delivery/types';
import type { StartServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { MessageClient } from './message-client.ts';

/** An owner whose work is pulled: for every test a new agent that takes background pushes. */
export class WorkScene {
  readonly clock = new FakeClock();
  #server: TestServer | undefined;
  #max: MessageClient | undefined;
  #hands = 0;

  /** To be called where the suite is described. */
  constructor(start: StartServer) {
    beforeAll(async () => {
      const server = await start({ clock: this.clock, rateLimits: false });
      this.#server = server;
      this.#max = await MessageClient.register(server, 'max@example.com');
    });
    beforeEach(async () => {
      this.#hands += 1;
      await this.max.create({ slug: this.slug, delivery_capabilities: ['bg', 'inbox'] });
    });
  }

  get server(): TestServer {
    if (!this.#server) throw new Error('the scene has not started');
    return this.#server;
  }

  get max(): MessageClient {
    if (!this.#max) throw new Error('the scene has not started');
    return this.#max;
  }

  /** The agent of this test. */
  get slug(): string {
    return `hand-${this.#hands}`;
  }

  /** Each a moment after the one before, so that there is an oldest. */
  async push(body = 'work'): Promise<MessageAnswer> {
    await this.clock.advance(1);
    return await this.max.send(this.slug, { body });
  }

  async claimable(query: Record<string, string | number>): Promise<string[]> {
    return (await this.max.claimable(query)).map(({ execution_id: id }) => id);
  }

  /** Passes time, and lets what fell due in it begin. */
  async later(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.clock.advance(0);
  }
}
