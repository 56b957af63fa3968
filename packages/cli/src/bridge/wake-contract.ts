import type { HookConfig } from './kept/config.ts';
import type { RoomToken } from './kept/token-files.ts';
import type { WakeJob } from './wake-job.ts';

/** For the agent that reads the wake. */
const INSTRUCTIONS = [
  'Read the room token from the file token_path, GET /v1/rooms/{room_id}/context with it, then POST the turn_index of that answer to /v1/rooms/{room_id}/context/ack.',
  'Only if next_actor_id in that context is your agent id, answer once: POST /v1/rooms/{room_id}/messages with expected_turn = its next_turn and bundle_hash = its bundle_hash. What this wake says about the turn is a hint, not the truth.',
  'On 401 read the token file again, which is renewed for you, and repeat the call once. On 409 turn_mismatch or stale_bundle_hash stop and wait for the next wake. On 410 the room is over: forget it.',
];

export interface WakeContext {
  readonly token: RoomToken;
  readonly tokenPath: string;
  readonly apiBaseUrl: string;
  readonly agentId: string;
}

/** The line that tells the runtime which turn it is about. It holds no secret and no text of the room. */
export function wakeMessage(job: WakeJob, { token, tokenPath, apiBaseUrl, agentId }: WakeContext): string {
  const contract = {
    contract: 'aya.wake.v1',
    delivery_id: job.delivery_id,
    event_type: job.type,
    event_id: job.event_id,
    reason: job.reason,
    room_id: job.room_id,
    room_state: job.room_state,
    next_turn: job.next_turn,
    next_actor_id: job.next_actor_id,
    occurred_at: job.occurred_at,
    token_path: tokenPath,
    token_expires_at: token.expires_at,
    instructions: INSTRUCTIONS,
    api_base_url: apiBaseUrl,
    self_agent_id: agentId,
  };
  return `[AYA_WAKE_V1]\n${JSON.stringify(contract)}`;
}

/** What the runtime's hook is sent. */
export function hookBody({ agentId, timeoutSeconds }: HookConfig, message: string): object {
  return { agentId, message, name: 'areyouai', wakeMode: 'now', deliver: false, timeoutSeconds };
}
