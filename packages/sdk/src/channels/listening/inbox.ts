import { chainMark, classify, type Content, welcomeEnvelope } from '@parley/protocol/channels/content';
import type { ChannelEvent } from '@parley/protocol/channels/event-lines';
import type { MessageEvent, RosterEntry, WireEvent } from '@parley/protocol/channels/types';
import { sleep } from '../clock.ts';
import { type Burst, BurstHold, type HoldTimes } from './burst-hold.ts';
import { Handshake, type HandshakeMemory } from '../handshake.ts';
import { KeyWatch } from '../key-check.ts';
import type { Link } from '../link.ts';
import { ReplayGuard, type ReplayMemory } from './replay-guard.ts';
import { blobHash } from '../send-chain.ts';
import { StaleWatch } from './stale-watch.ts';

/** How long what follows a hello waits for its answer: who arrives is told before what they say. */
const GREETING_PATIENCE_MS = 2_000;

export interface InboxOptions {
  link: Link;
  fingerprint: string;
  challenge?: string | undefined;
  hold: HoldTimes;
  staleSeconds: number;
  /** The first event this inbox will see is the first of the log. */
  fromStart: boolean;
  /** Names whose keys were compared when we joined. */
  knownNames?: readonly string[] | undefined;
  memory?: InboxMemory | undefined;
  emit: (event: ChannelEvent) => void;
  /** Keeps the whole text of a message and says where. */
  writeMessageFile: (text: string) => string;
  debug: (text: string) => void;
}

/** What a later run of the program has to know to go on where this one stopped. */
export interface InboxMemory {
  humans: string[];
  handshake: HandshakeMemory;
  replay: ReplayMemory;
}

/** Turns what the server reports into what the agent is told, and answers greetings. Knows nothing of polling. */
export class Inbox {
  readonly #options: InboxOptions;
  readonly #handshake: Handshake;
  readonly #guard: ReplayGuard;
  readonly #keys: KeyWatch;
  readonly #stale: StaleWatch;
  readonly #hold: BurstHold;
  readonly #humans: Set<string>;
  readonly #present = new Set<string>();
  readonly #greetings = new Set<Promise<void>>();

  constructor(options: InboxOptions) {
    this.#options = options;
    const { memory, fromStart } = options;
    this.#handshake = new Handshake(options.challenge, memory?.handshake);
    this.#guard = new ReplayGuard({ fromStart, memory: memory?.replay });
    this.#keys = new KeyWatch(options.fingerprint, options.knownNames);
    this.#stale = new StaleWatch(options.staleSeconds);
    this.#hold = new BurstHold(options.link.clock, options.hold, (burst) => this.#tell(burst, true));
    this.#humans = new Set(memory?.humans);
  }

  /** Returns the reason when the event says that the channel ends. */
  async take(event: WireEvent): Promise<string | undefined> {
    switch (event.type) {
      case 'system':
        return event.reason;
      case 'join':
        this.#joined(event.from);
        return undefined;
      case 'leave':
        this.#left(event.from);
        return undefined;
      case 'message':
      default:
        if (event.from !== this.#ownName) await this.#message(event);
        return undefined;
    }
  }

  takeRoster(roster: readonly RosterEntry[]): void {
    const { emit } = this.#options;
    for (const { name, problem } of this.#keys.news(roster, this.#ownName)) {
      emit({ type: problem === 'mismatch' ? 'key_mismatch' : 'key_unverified', name });
    }
    for (const { name, unseen } of this.#stale.changes(roster, this.#ownName)) {
      emit(unseen === undefined ? { type: 'peer_back', name } : { type: 'peer_stale', name, unseen });
    }
  }

  /** Nothing more is coming for now: what a person wrote need not wait. */
  endHold(): void {
    this.#hold.end();
  }

  /** The log was emptied and everyone has to join and greet again. */
  restart(): void {
    this.#hold.end();
    this.#handshake.restart();
    this.#guard.restart();
    this.#humans.clear();
    this.#present.clear();
  }

  /** Resolves when every greeting under way is answered or given up. */
  async settled(): Promise<void> {
    await Promise.all(this.#greetings);
  }

  memory(): InboxMemory {
    return { humans: [...this.#humans], handshake: this.#handshake.memory(), replay: this.#guard.memory() };
  }

  get #ownName(): string {
    return this.#options.link.seat.identity.name;
  }

  #joined(name: string): void {
    // Whoever was here before us was checked by whoever made us join.
    if (name === this.#ownName) this.#keys.knows(this.#present);
    else this.#present.add(name);
  }

  #left(name: string): void {
    if (name === this.#ownName) return;
    this.#hold.endOf(name);
    this.#present.delete(name);
    this.#handshake.left(name);
    this.#keys.left(name);
    this.#stale.left(name);
    this.#options.emit({ type: 'peer_left', name, human: this.#humans.delete(name) });
  }

  async #message({ from, text: blob, index }: MessageEvent): Promise<void> {
    const { link, emit } = this.#options;
    const opened = await link.cipher.open(from, blob);
    // Only what opens counts as seen: otherwise a forged copy of a nonce would silence the real message.
    const seen = opened && this.#guard.check(blob, index);
    if (seen === 'again') return;
    if (seen === 'replayed') {
      emit({ type: 'replayed', from });
      return;
    }
    if (!opened) {
      emit({ type: 'decrypt_fail', from });
      return;
    }
    const mark = chainMark(opened.envelope);
    const missing = mark ? this.#guard.missing(from, mark, await blobHash(blob, link.crypto)) : 0;
    if (missing > 0) emit({ type: 'gap', from, missing });
    await this.#content(from, classify(opened.envelope));
  }

  async #content(from: string, content: Content): Promise<void> {
    const { emit } = this.#options;
    if (content.kind === 'hello') await this.#greet(from, content);
    else if (content.kind === 'welcome') {
      const proof = content.to === this.#ownName && this.#handshake.takeWelcome(from, content.challenge);
      if (proof) emit({ type: 'paired', name: from });
    } else if (content.kind === 'text' && (content.to === undefined || content.to === this.#ownName)) {
      const kind = content.to === undefined ? 'broadcast' : 'dm';
      if (this.#humans.has(from)) this.#hold.add(from, kind, content.text);
      else this.#tell({ from, kind, texts: [content.text] }, false);
    }
  }

  #tell({ from, kind, texts }: Burst, human: boolean): void {
    const text = texts.join('\n\n');
    const file = this.#options.writeMessageFile(text);
    this.#options.emit({ type: 'message', kind, from, human, count: texts.length, text, file });
  }

  /** A send that hangs goes on beside the reading, so that it does not hold up the messages behind the hello for long. */
  async #greet(from: string, { challenge, human, resumed }: Content & { kind: 'hello' }): Promise<void> {
    const { emit, debug, link } = this.#options;
    if (human) this.#humans.add(from);
    if (!this.#handshake.takeHello(from, challenge)) return;
    const greeting = link.outbox
      .send(welcomeEnvelope(challenge, from))
      .then(
        () => emit(human ? { type: 'human_joined', name: from, resumed } : { type: 'welcomed', name: from }),
        (error: unknown) => {
          this.#handshake.forgetHello(from, challenge);
          debug(`welcome not sent: ${error instanceof Error ? error.message : 'unknown error'}`);
        },
      )
      .finally(() => this.#greetings.delete(greeting));
    this.#greetings.add(greeting);
    const answered = new AbortController();
    await Promise.race([greeting, sleep(link.clock, GREETING_PATIENCE_MS, answered.signal)]);
    answered.abort();
  }
}
