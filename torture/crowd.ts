import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor, ActorPlace } from './actors/actor.ts';
import { channelActor } from './actors/channels.ts';
import { capsuleActor, documentActor, handoffActor } from './actors/memory.ts';
import { messageActor } from './actors/messages.ts';
import { roomActor } from './actors/rooms.ts';
import { cueActor, scheduleActor } from './actors/timed.ts';
import { Caller } from './caller.ts';
import type { Tally } from './tally.ts';

type MakeActor = (place: ActorPlace) => Promise<Actor>;

/** How many of each in a full crowd: most of what an installation writes is messages. */
const MIX: readonly (readonly [string, MakeActor, number])[] = [
  ['message', messageActor, 24],
  ['room', roomActor, 6],
  ['document', documentActor, 4],
  ['capsule', capsuleActor, 4],
  ['reminder', scheduleActor, 4],
  ['handoff', handoffActor, 1],
  ['cue', cueActor, 1],
  ['channel', channelActor, 2],
];

/** What their writes are called in a tally. */
export const KINDS = [
  'messages',
  'turns',
  'documents',
  'capsules',
  'reminders',
  'handoffs',
  'cues',
  'channels',
] as const;

/** Clients of all modules, who write without a pause until they are stopped. */
export class Crowd {
  readonly #tally: Tally;
  readonly #callers: Caller[] = [];
  readonly #actors: Actor[] = [];
  #running: Promise<void[]> | undefined;
  #stopped = false;
  #forgotten = 0;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  /** `share`: what part of the full crowd, at least one of each. */
  async enter(url: () => string, share: number): Promise<void> {
    const tally = this.#tally;
    const forgotten = (): number => this.#forgotten;
    for (const [kind, make, count] of MIX) {
      for (let index = 0; index < Math.max(1, Math.round(count * share)); index++) {
        const caller = new Caller(url, tally);
        const actor = await make({ caller, tally, name: `${kind}${index}`, forgotten });
        this.#callers.push(caller);
        this.#actors.push(actor);
        await actor.setUp();
      }
    }
  }

  start(): void {
    this.#running = Promise.all(
      this.#actors.map(async (actor) => {
        while (!this.#stopped) await actor.step();
      }),
    );
    // Told by `stop`, which waits for all; whoever waits for more writes hears of it at once.
    this.#running.catch((error: unknown) => {
      const said = error instanceof Error ? error.message : String(error);
      if (!this.#tally.wrong.includes(said)) this.#tally.wrong.push(said);
    });
  }

  /** What is in no table has just been forgotten: sealed channels may be gone. */
  forget(): void {
    this.#forgotten++;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Looks for all that was acknowledged, after a while in which what is done twice would be done once more. */
  async check(settleMs: number): Promise<void> {
    await sleep(settleMs);
    for (const actor of this.#actors) await actor.check();
    for (const caller of this.#callers) caller.close();
  }
}
