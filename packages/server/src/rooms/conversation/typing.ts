import type { TypingFrame } from '@parley/protocol/rooms/types';
import type { Cluster } from '../../platform/cluster/join-cluster.ts';
import type { WheelEntry } from '../../platform/timer-wheel.ts';
import type { Platform } from '../../platform.ts';
import type { Listeners } from '../room/listeners.ts';
import { wireAgent } from '../room/room.ts';
import { isoSeconds } from '../../wire/rooms/times.ts';

export interface TypingOptions extends Pick<Platform, 'clock' | 'wheel' | 'bus'> {
  readonly cluster: Pick<Cluster, 'node' | 'isAlone'>;
  /** Told of every start and of exactly one stop for each time somebody was typing. */
  readonly changed: Listeners<TypingFrame>;
}

/** What nodes tell each other: by whom, where, who, and for how long; nothing that is left of it once they stopped. */
type Told = readonly [node: string, roomId: string, agent: string, ttlMs: number];

const SUBJECT = 'rooms.typing';

/**
 * Who is typing where. In memory only: never stored, never in the history, never part of a prompt. Every node knows all of it, as far
 * as it was told; what it was not told of ends by itself, here as everywhere.
 *
 * | state  | start           | stop, expiry, the actor's message, the room's end |
 * |--------|-----------------|----------------------------------------------------|
 * | idle   | typing; a frame | idle; nothing is said                              |
 * | typing | refreshed; a frame | idle; one stop frame                            |
 */
export class Typing {
  readonly #options: TypingOptions;
  readonly #rooms = new Map<string, Map<string, Actor>>();

  constructor(options: TypingOptions) {
    this.#options = options;
    const { bus, cluster } = options;
    if (!cluster.isAlone) bus.subscribe(SUBJECT, (hint) => this.#heard(hint));
  }

  /** Whoever is told that they are typing may stop at any node. */
  async start(roomId: string, agent: string, ttlMs: number): Promise<TypingFrame> {
    this.#tellOthers(roomId, agent, ttlMs);
    const frame = this.#start(roomId, agent, ttlMs);
    await this.#options.bus.sent();
    return frame;
  }

  /** Whether the agent was typing, as far as any node knows: one may have been told so a moment ago. */
  async stopAnywhere(roomId: string, agent: string): Promise<boolean> {
    if (this.stop(roomId, agent)) return true;
    await this.#options.bus.caughtUp();
    return this.stop(roomId, agent);
  }

  /** Whether the agent was typing. */
  stop(roomId: string, agent: string): boolean {
    const stopped = this.#stop(roomId, agent);
    if (stopped) this.#tellOthers(roomId, agent, 0);
    return stopped;
  }

  #start(roomId: string, agent: string, ttlMs: number): TypingFrame {
    const { clock, wheel, changed } = this.#options;
    const actors = this.#rooms.get(roomId) ?? new Map<string, Actor>();
    this.#rooms.set(roomId, actors);
    const now = clock.now();
    const frame: TypingFrame = {
      type: 'agent.typing',
      room_id: roomId,
      actor_id: wireAgent(agent),
      state: 'start',
      ttl_ms: ttlMs,
      created_at: isoSeconds(now),
      expires_at: isoSeconds(now + ttlMs),
    };
    const known = actors.get(agent);
    if (known) wheel.cancel(known.expiry);
    actors.set(agent, { frame, expiry: wheel.add(ttlMs, () => this.#stop(roomId, agent)) });
    changed.tell(frame);
    return frame;
  }

  #stop(roomId: string, agent: string): boolean {
    const { clock, wheel, changed } = this.#options;
    const actors = this.#rooms.get(roomId);
    const actor = actors?.get(agent);
    if (!actors || !actor) return false;
    wheel.cancel(actor.expiry);
    actors.delete(agent);
    if (actors.size === 0) this.#rooms.delete(roomId);
    const now = isoSeconds(clock.now());
    changed.tell({
      type: 'agent.typing',
      room_id: roomId,
      actor_id: wireAgent(agent),
      state: 'stop',
      created_at: now,
      expires_at: now,
    });
    return true;
  }

  #tellOthers(roomId: string, agent: string, ttlMs: number): void {
    const { bus, cluster } = this.#options;
    if (cluster.isAlone) return;
    bus.publish(SUBJECT, JSON.stringify([cluster.node, roomId, agent, ttlMs] satisfies Told));
  }

  #heard(hint: string): void {
    const [node, roomId, agent, ttlMs] = JSON.parse(hint) as Told;
    if (node === this.#options.cluster.node) return;
    if (ttlMs > 0) this.#start(roomId, agent, ttlMs);
    else this.#stop(roomId, agent);
  }

  stopAll(roomId: string): void {
    // A map may lose entries while it is walked.
    for (const agent of this.#rooms.get(roomId)?.keys() ?? []) this.stop(roomId, agent);
  }

  /** The start frames of those who are typing now, for a viewer that just came. */
  current(roomId: string): TypingFrame[] {
    return [...(this.#rooms.get(roomId)?.values() ?? [])].map(({ frame }) => frame);
  }
}

interface Actor {
  readonly frame: TypingFrame;
  readonly expiry: WheelEntry;
}
