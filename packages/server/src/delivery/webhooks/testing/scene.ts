import type { MessageAnswer } from '@parley/protocol/delivery/types';
import { afterAll, expect } from 'vitest';
import { systemRandom } from '../../../platform/ids.ts';
import type { StartServer } from '../../../testing/each-server.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import type { TestOptions } from '../../../testing/start-server.ts';
import { WebhookSink } from '../../../testing/webhook-sink.ts';
import { MessageClient } from '../../testing/message-client.ts';

export const START = Date.UTC(2026, 5, 1, 9);

export interface PostedMessage {
  readonly id: string;
  readonly execution_id: string;
  readonly body: string;
  readonly [key: string]: unknown;
}

/** An agent with an endpoint on this machine, on a clock that stands still. */
export function webhookScenes(start: StartServer) {
  const sinks: WebhookSink<PostedMessage>[] = [];
  afterAll(async () => {
    for (const sink of sinks) await sink.close();
  });

  return async (options: TestOptions = {}, wanted?: object) => {
    const sink = await new WebhookSink<PostedMessage>().listen();
    sinks.push(sink);
    const clock = new FakeClock(START);
    const server = await start({
      clock,
      rateLimits: false,
      callbackAllow: [sink.host],
      // Without jitter the schedule can be told exactly.
      random: { ...systemRandom, unit: () => 0.5 },
      ...options,
    });
    const owner = await MessageClient.register(server);
    const agent = await owner.create(wanted ?? { slug: 'sink', webhook_url: sink.url() });
    const send = (more: object = {}): Promise<MessageAnswer> =>
      owner.send('sink', { from: 'sink', delivery_mode: 'webhook', ...more });
    /** Waits until the attempt under way is recorded. */
    const settled = async (id: string, state: string): Promise<MessageAnswer> => {
      await expect.poll(() => owner.message(id)).toMatchObject({ state });
      return await owner.message(id);
    };
    return { sink, clock, server, owner, agent, send, settled };
  };
}
