import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { TypingFrame } from '@parley/protocol/rooms/types';
import type { Cluster } from '../../platform/cluster/join-cluster.ts';
import type { Listeners } from '../../platform/listeners.ts';
import type { WheelEntry } from '../../platform/timer-wheel.ts';
import type { Platform } from '../../platform.ts';
import { wireAgent } from '../room/room.ts';
import { SharedTyping, type TypingStart } from './shared-typing.ts';

export interface TypingOptions extends Pick<Platform, 'clock' | 'wheel' | 'bus'> {
  readonly cluster: Pick<Cluster, 'node' | 'isAlone' | 'redis'>;
  /** Told of every start and of exactly one stop for each time somebody was typing. */
  readonly changed: Listeners<TypingFrame>;
}

/**
 * What nodes tell each other: by whom, where, who, and for how long; nothing that is left of it once they stopped. Then when it was said
 * and its id, which those of the version before do not tell.
 */
type Told = readonly [node: string, roomId: string, agent: string, ttlMs: number, at?: number, id?: string];

const SUBJECT = 'rooms.typing';

/**
 * Who is typing where. Never stored, never in the history, never part of a prompt. Every node knows all of it in memory, as far as it
 * was told; what it was not told of it reads in the Redis of all nodes when a viewer comes and every few seconds while one is there, and
 * all of it ends by itself, here as everywhere.
 *
 * | state  | start           | stop, expiry, the actor's message, the room's end |
 * |--------|-----------------|----------------------------------------------------|
 * | idle   | typing; a frame | idle; nothing is said                              |
 * | typing | refreshed; a frame | idle; one stop frame                            |
 */
export class Typing {
  readonly #options: TypingOptions;
  readonly #shared: SharedTyping | undefined;
  readonly #rooms = new Map<string, Map<string, Actor>>();
  /** Looks under way, each with those it is too old for. */
  readonly #looks = new Set<{ readonly roomId: string; readonly changed: Set<string> }>();
  #starts = 0;

  constructor(options: TypingOptions) {
    this.#options = options;
    const { bus, cluster, clock } = options;
    this.#shared = cluster.redis && new SharedTyping(cluster.redis, clock);
    if (!cluster.isAlone) bus.subscribe(SUBJECT, (hint) => this.#heard(hint));
  }

  async load(): Promise<void> {
    await this.#shared?.load();
  }

  /** Whoever is told that they are typing may stop at any node. */
  async start(roomId: string, agent: string, ttlMs: number): Promise<TypingFrame> {
    const { bus, clock, cluster } = this.#options;
    this.#starts += 1;
    const start = { agent, id: `${cluster.node} ${this.#starts}`, at: clock.now(), ttlMs };
    // Before others are told: who is told of it and looks finds it.
    const shared = this.#shared?.start(roomId, start);
    this.#tellOthers(roomId, start);
    const frame = this.#start(roomId, start, ttlMs);
    await shared;
    await bus.sent();
    return frame;
  }

  /** Whether the agent was typing, as far as any node knows. */
  async stop(roomId: string, agent: string): Promise<boolean> {
    const here = this.#stopHere(roomId, agent);
    const there = await this.#stopShared(roomId, here ? [agent] : [], agent);
    return here || there;
  }

  async stopAll(roomId: string): Promise<void> {
    const here = [...(this.#rooms.get(roomId)?.keys() ?? [])];
    for (const agent of here) this.#stopHere(roomId, agent);
    await this.#stopShared(roomId, here);
  }

  /** The start frames of those who are typing now, for a viewer that just came. */
  current(roomId: string): TypingFrame[] {
    return [...(this.#rooms.get(roomId)?.values() ?? [])].map(({ frame }) => frame);
  }

  /** Hints may have been missed: what became of the room meanwhile is told as if they came now. */
  async look(roomId: string): Promise<void> {
    if (!this.#shared) return;
    const look = { roomId, changed: new Set<string>() };
    this.#looks.add(look);
    const found = await this.#shared.look(roomId);
    this.#looks.delete(look);
    for (const { leftMs, ...start } of found) {
      const known = this.#rooms.get(roomId)?.get(start.agent);
      if (look.changed.has(start.agent) || (known && known.at > start.at)) continue;
      if (leftMs <= 0) this.#stop(roomId, start.agent);
      else if (known?.id !== start.id) this.#start(roomId, start, leftMs);
    }
  }

  /** Of whom this node did not know it, it tells the others, and is told itself if the hint is only now on its way. */
  async #stopShared(roomId: string, here: readonly string[], agent?: string): Promise<boolean> {
    if (!this.#shared) return false;
    const stopped = await this.#shared.stop(roomId, agent);
    const unknown = stopped.filter((one) => !here.includes(one));
    if (unknown.length === 0) return false;
    await this.#options.bus.caughtUp();
    for (const one of unknown) {
      if (!this.#stopHere(roomId, one)) this.#tellOthers(roomId, { agent: one, ttlMs: 0 });
    }
    return true;
  }

  #stopHere(roomId: string, agent: string): boolean {
    const stopped = this.#stop(roomId, agent);
    if (stopped) this.#tellOthers(roomId, { agent, ttlMs: 0 });
    return stopped;
  }

  #start(roomId: string, { agent, id, at, ttlMs }: TypingStart, leftMs: number): TypingFrame {
    const { wheel, changed } = this.#options;
    this.#noteChange(roomId, agent);
    const actors = this.#rooms.get(roomId) ?? new Map<string, Actor>();
    this.#rooms.set(roomId, actors);
    const frame: TypingFrame = {
      type: 'agent.typing',
      room_id: roomId,
      actor_id: wireAgent(agent),
      state: 'start',
      ttl_ms: ttlMs,
      created_at: isoSeconds(at),
      expires_at: isoSeconds(at + ttlMs),
    };
    const known = actors.get(agent);
    if (known) wheel.cancel(known.expiry);
    actors.set(agent, { id, at, frame, expiry: wheel.add(leftMs, () => this.#stop(roomId, agent)) });
    changed.tell(frame);
    return frame;
  }

  #stop(roomId: string, agent: string): boolean {
    const { clock, wheel, changed } = this.#options;
    this.#noteChange(roomId, agent);
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

  #noteChange(roomId: string, agent: string): void {
    for (const look of this.#looks) if (look.roomId === roomId) look.changed.add(agent);
  }

  #tellOthers(roomId: string, { agent, ttlMs, at, id }: Stop | TypingStart): void {
    const { bus, cluster } = this.#options;
    if (cluster.isAlone) return;
    bus.publish(SUBJECT, JSON.stringify([cluster.node, roomId, agent, ttlMs, at, id] satisfies Told));
  }

  #heard(hint: string): void {
    const { cluster, clock } = this.#options;
    const [node, roomId, agent, ttlMs, at, id] = JSON.parse(hint) as Told;
    if (node === cluster.node) return;
    if (ttlMs <= 0) this.#stop(roomId, agent);
    // A look may have been faster.
    else if (id === undefined || this.#rooms.get(roomId)?.get(agent)?.id !== id)
      this.#start(roomId, { agent, ttlMs, at: at ?? clock.now(), id: id ?? '' }, ttlMs);
  }
}

type Stop = Pick<TypingStart, 'agent' | 'ttlMs'> & Partial<TypingStart>;

interface Actor extends Pick<TypingStart, 'id' | 'at'> {
  readonly frame: TypingFrame;
  readonly expiry: WheelEntry;
}
