import type { Actor, ActorPlace } from './actors/actor.ts';
import { channelActor, lastingChannelActor } from './actors/channels.ts';
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
];
const CHANNELS = 2;
/** Those that end with their server, those that survive a node, or none. */
const CHANNEL_ACTORS = { ending: channelActor, lasting: lastingChannelActor, none: undefined };

/** Clients of all modules, who write without a pause until they are stopped. */
export class Crowd {
  readonly #tally: Tally;
  readonly #callers: Caller[] = [];
  readonly #actors: Actor[] = [];
  #running: Promise<void[]> | undefined;
  #stopped = false;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  /** `share`: what part of the full crowd, at least one of each. */
  async enter(
    url: () => string,
    { share, channels }: { readonly share: number; readonly channels: keyof typeof CHANNEL_ACTORS },
  ): Promise<void> {
    const channelActors = CHANNEL_ACTORS[channels];
    const mix = channelActors ? [...MIX, ['channel', channelActors, CHANNELS] as const] : MIX;
    for (const [kind, make, count] of mix) {
      for (let index = 0; index < Math.max(1, Math.round(count * share)); index++) {
        const caller = new Caller(url, this.#tally);
        const actor = await make({ caller, tally: this.#tally, name: `${kind}${index}` });
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
    // Told by `stop`, which waits for all.
    this.#running.catch(() => {});
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Looks for all that was acknowledged. */
  async check(): Promise<void> {
    for (const actor of this.#actors) await actor.check();
    for (const caller of this.#callers) caller.close();
  }
}
