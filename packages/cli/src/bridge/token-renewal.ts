import type { Timer } from '@parley/sdk/channels/clock';
import type { Bridge } from './bridge.ts';
import { reasonOf } from './failures.ts';
import { Refusal } from './server-call.ts';

const LOOK_EVERY_MS = 5_000;

/**
 * A run of the agent may take longer than a token lasts: while it is the agent's turn, the file it reads is renewed before the
 * token in it ends.
 */
export class TokenRenewal {
  readonly #bridge: Bridge;
  /** Tokens of turns that are over; they may end. */
  readonly #resting = new Map<string, string>();
  #timer: Timer | undefined;
  #stopped = false;

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  start(): void {
    if (this.#stopped) return;
    this.#timer = this.#bridge.clock.after(LOOK_EVERY_MS, () => void this.#look().then(() => this.start()));
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  async #look(): Promise<void> {
    const { tokens, log } = this.#bridge;
    for (const room of tokens.files.rooms()) {
      try {
        const kept = tokens.files.read(room);
        if (!kept || !tokens.isEnding(kept) || this.#resting.get(room) === kept.token) continue;
        if (await this.#isOurTurn(room)) await tokens.mint(room);
        else this.#resting.set(room, kept.token);
      } catch (error) {
        if (error instanceof Refusal && error.isOver) this.#over(room);
        else log.warn('token.not_renewed', { room_id: room, reason: reasonOf(error) });
      }
    }
  }

  async #isOurTurn(room: string): Promise<boolean> {
    const { session } = this.#bridge;
    const { state, next_actor_id: actor } = await session.call({ path: `/v1/rooms/${room}/state` });
    if (state === 'CLOSED' || state === 'PURGED') this.#over(room);
    return state === 'ACTIVE' && actor === session.agentId;
  }

  #over(room: string): void {
    this.#bridge.tokens.files.remove(room);
    this.#resting.delete(room);
  }
}
