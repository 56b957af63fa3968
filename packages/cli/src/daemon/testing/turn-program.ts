import type { RoomAgent } from '@parley/server/rooms/testing/room-client';
import { WebhookSink } from '@parley/server/testing/webhook-sink';

interface TurnPayload {
  readonly room_id: string;
  readonly data: { readonly next_turn: number };
}

/**
 * What an agent's program does in a room, here and not in a process of its own: what the bridge starts is a `curl` that hands its input
 * over and lasts as long as the work does.
 */
export class TurnProgram {
  /** Turns for which a second program began while one was at work. */
  readonly overlaps: number[] = [];
  readonly turns = new Set<number>();
  readonly #agent: RoomAgent;
  readonly #sink = new WebhookSink<TurnPayload>();
  readonly #atWork = new Set<number>();
  #held = Promise.resolve();

  constructor(agent: RoomAgent) {
    this.#agent = agent;
  }

  async listen(): Promise<this> {
    await this.#sink.listen();
    this.#sink.answer = ({ body }) => this.#run(body);
    return this;
  }

  get url(): string {
    return this.#sink.url('/run');
  }

  /** Nothing is answered before what this returns is called. */
  hold(): () => void {
    let release: (() => void) | undefined;
    this.#held = new Promise((resolve) => (release = resolve));
    return () => release?.();
  }

  async #run({ room_id: room, data: { next_turn: turn } }: TurnPayload): Promise<number> {
    if (this.#atWork.has(turn)) this.overlaps.push(turn);
    this.#atWork.add(turn);
    this.turns.add(turn);
    try {
      await this.#held;
      const { next_turn: now } = await this.#agent.context(room);
      if (now === turn) await this.#agent.send(room, `turn ${turn}`);
      return 200;
    } finally {
      this.#atWork.delete(turn);
    }
  }

  async close(): Promise<void> {
    await this.#sink.close();
  }
}
