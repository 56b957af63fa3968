import type { Timer } from '@parley/sdk/channels/clock';
import type { Bridge } from './bridge.ts';
import { reasonOf } from './failures.ts';

const TTL_MS = 30_000;
const AGAIN_MS = 20_000;

export interface Typing {
  stop(): Promise<void>;
}

/** Shows people who watch the room that the agent is at work. Nothing depends on it, so failures are only noted. */
export async function startTyping(bridge: Bridge, room: string): Promise<Typing> {
  const { clock } = bridge;
  let timer: Timer;
  const repeat = (): void => {
    timer = clock.after(AGAIN_MS, () => {
      repeat();
      void tell(bridge, room, { state: 'start', ttl_ms: TTL_MS });
    });
  };
  await tell(bridge, room, { state: 'start', ttl_ms: TTL_MS });
  repeat();
  return {
    async stop() {
      timer.cancel();
      await tell(bridge, room, { state: 'stop' });
    },
  };
}

async function tell({ tokens, log }: Bridge, room: string, body: object): Promise<void> {
  try {
    await tokens.call(room, { method: 'POST', path: `/v1/rooms/${room}/typing`, body });
  } catch (error) {
    log.debug('typing.failed', { room_id: room, reason: reasonOf(error) });
  }
}
