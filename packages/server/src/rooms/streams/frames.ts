import type { TypingFrame } from '@parley/protocol/rooms/types';
import { framedOnce, sseFrame } from '../../platform/streams/sse-frame.ts';
import type { TurnWake, RoomEvent } from '../service.ts';
import { wireAgent } from '../room/room.ts';
import { isoMillis } from '../../wire/rooms/times.ts';

/** However many listen to a room, an event becomes bytes once. */
export const eventFrame = framedOnce(({ seq, type, data }: RoomEvent) =>
  sseFrame({ id: seq, event: type, data: JSON.stringify(data) }),
);

export const deliveryFrame = framedOnce(({ id, data }: TurnWake) =>
  sseFrame({ id, event: data.type, data: JSON.stringify(data) }),
);

/** Without an id: typing is never replayed. */
export const typingFrame = framedOnce((frame: TypingFrame) => control(frame));

export type ResumeStatus = 'fresh' | 'ok' | 'replay_required';

interface ControlData {
  readonly type: string;
  readonly agent_id: string;
  readonly [key: string]: string;
}

export function helloFrame(agent: string, now: number, status: ResumeStatus, cursor = ''): string {
  return control({
    type: 'stream.hello',
    agent_id: wireAgent(agent),
    resume_status: status,
    last_acknowledged_delivery_id: status === 'ok' ? cursor : '',
    server_time: isoMillis(now),
  });
}

export function replayRequiredFrame(agent: string): string {
  return control({
    type: 'stream.replay_required',
    agent_id: wireAgent(agent),
    hint: 'Call /v1/agent/actionable-rooms, drop the cursor, then reconnect without it.',
  });
}

export function reloginRequiredFrame(agent: string): string {
  return control({ type: 'auth.relogin_required', agent_id: wireAgent(agent) });
}

function control(data: TypingFrame | ControlData): string {
  return sseFrame({ event: data.type, data: JSON.stringify(data) });
}
