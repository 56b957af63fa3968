import { helloEnvelope } from '@parley/protocol/channels/content';
import type { ChannelEvent } from '@parley/protocol/channels/event-lines';
import { COALESCE_MAX_SECONDS, COALESCE_SECONDS, PEER_STALE_SECONDS } from '@parley/protocol/channels/limits';
import type { PollAnswer } from '@parley/protocol/channels/types';
import { ChannelError } from '../channel-error.ts';
import { sleep } from '../clock.ts';
import { type Feed, PollFeed } from './feed.ts';
import { Inbox, type InboxMemory } from './inbox.ts';
import type { Link } from '../link.ts';
import { TransportError } from '../transport.ts';

const FIRST_BACKOFF_MS = 2_000;
const LONGEST_BACKOFF_MS = 30_000;
const DEFAULT_RETRY_AFTER_SECONDS = 5;

export interface ListenerHost {
  emit(event: ChannelEvent): void;
  /** Keeps the whole text of a message and says where. */
  writeMessageFile(text: string): string;
  /** Index of the first event not read yet; told before the events are dispatched. */
  saveCursor(cursor: number): void;
  /** Diagnostics, without plaintext, token or key. */
  debug(text: string): void;
  /** The first hello did not get through; the end is told after it. */
  helloFailed?(error: unknown): void;
}

export interface ListenerOptions {
  link: Link;
  host: ListenerHost;
  cursor?: number | undefined;
  /** Our own challenge: a joiner has one, the initiator has none. */
  challenge?: string | undefined;
  /** Send the hello when starting; on by default for whoever has a challenge. */
  hello?: boolean | undefined;
  coalesceSeconds?: number | undefined;
  coalesceMaxSeconds?: number | undefined;
  staleSeconds?: number | undefined;
  knownNames?: readonly string[] | undefined;
  memory?: InboxMemory | undefined;
  feed?: Feed | undefined;
}

/**
 * Why listening ended:
 *
 * | kind | after | the line before |
 * | --- | --- | --- |
 * | `gone` | 404, or a notice of the server | `SYSTEM <reason>` |
 * | `bad_request` | 400 | `SYSTEM bad_request` |
 * | `rejoin_failed` | the sleeping channel did not let us in again | `SYSTEM rejoin_failed` |
 * | `hello_failed` | the first hello was refused | `SYSTEM hello_send_failed rc=1` |
 * | `stopped` | `stop()` | |
 */
export interface ListenerEnd {
  kind: 'gone' | 'bad_request' | 'rejoin_failed' | 'hello_failed' | 'stopped';
  reason: string;
  error?: unknown;
}

/** Follows one channel until it ends: reads, opens, greets, rejoins, backs off. What it finds goes to the host. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #abort = new AbortController();
  #cursor: number;
  #inbox: Inbox | undefined;
  #generation: number;
  #backoffMs = FIRST_BACKOFF_MS;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#cursor = options.cursor ?? 0;
    this.#generation = options.link.seat.generation;
  }

  get cursor(): number {
    return this.#cursor;
  }

  memory(): InboxMemory | undefined {
    return this.#inbox?.memory();
  }

  /** Ends `run` soon; events not dispatched yet stay unread, what is held is given out. */
  stop(): void {
    this.#abort.abort();
  }

  async run(): Promise<ListenerEnd> {
    const inbox = (this.#inbox = await this.#openInbox());
    const end = (await this.#firstHello()) ?? (await this.#follow(inbox));
    inbox.endHold();
    await inbox.settled();
    if (end.kind !== 'stopped') this.#options.host.emit({ type: 'system', reason: end.reason });
    return end;
  }

  async #openInbox(): Promise<Inbox> {
    const { link, host, challenge, knownNames, memory } = this.#options;
    const { coalesceSeconds = COALESCE_SECONDS, coalesceMaxSeconds = COALESCE_MAX_SECONDS } = this.#options;
    return new Inbox({
      link,
      challenge,
      knownNames,
      memory,
      fingerprint: await link.seat.fingerprint(),
      hold: { silenceMs: coalesceSeconds * 1000, capMs: coalesceMaxSeconds * 1000 },
      staleSeconds: this.#options.staleSeconds ?? PEER_STALE_SECONDS,
      fromStart: this.#cursor === 0,
      emit: (event) => host.emit(event),
      writeMessageFile: (text) => host.writeMessageFile(text),
      debug: (text) => host.debug(text),
    });
  }

  async #firstHello(): Promise<ListenerEnd | undefined> {
    if (this.#options.hello === false) return undefined;
    try {
      await this.#hello();
      return undefined;
    } catch (error) {
      this.#options.host.helloFailed?.(error);
      return { kind: 'hello_failed', reason: 'hello_send_failed rc=1', error };
    }
  }

  async #hello(): Promise<void> {
    const { link, challenge } = this.#options;
    if (challenge !== undefined) await link.outbox.send(helloEnvelope(challenge));
  }

  async #follow(inbox: Inbox): Promise<ListenerEnd> {
    const { link } = this.#options;
    const feed = this.#options.feed ?? new PollFeed(link.client, link.seat.identity);
    while (!this.#abort.signal.aborted) {
      if (link.seat.generation !== this.#generation) this.#startAgain(inbox);
      const asked = this.#generation;
      try {
        const answer = await feed.next(this.#cursor, this.#abort.signal);
        this.#backoffMs = FIRST_BACKOFF_MS;
        const reason = await this.#dispatch(inbox, answer);
        if (reason !== undefined) return { kind: 'gone', reason };
      } catch (error) {
        if (this.#abort.signal.aborted) break;
        const end = await this.#recover(error, asked);
        if (end) return end;
      }
    }
    return { kind: 'stopped', reason: 'stopped' };
  }

  async #dispatch(inbox: Inbox, answer: PollAnswer): Promise<string | undefined> {
    this.#moveTo(answer.cursor);
    if (answer.messages.length === 0) inbox.endHold();
    for (const event of answer.messages) {
      if (this.#abort.signal.aborted) {
        this.#moveTo(event.index);
        return undefined;
      }
      const reason = await inbox.take(event);
      if (reason !== undefined) return /^\w{1,64}$/.test(reason) ? reason : 'channel_gone';
    }
    if (answer.roster) inbox.takeRoster(answer.roster);
    return undefined;
  }

  #moveTo(cursor: number): void {
    if (cursor === this.#cursor) return;
    this.#cursor = cursor;
    this.#options.host.saveCursor(cursor);
  }

  async #recover(error: unknown, generation: number): Promise<ListenerEnd | undefined> {
    const { link, host } = this.#options;
    if (!(error instanceof ChannelError)) {
      if (!(error instanceof TransportError)) throw error;
      return this.#backOff(error.failure);
    }
    if (error.hibernating) return this.#rejoin();
    if (error.status === 404) return { kind: 'gone', reason: error.evictedReason ?? 'channel_gone', error };
    if (error.status === 400) {
      // Another part of this participant rejoined while our request was under way.
      const replaced = link.seat.generation !== generation || link.seat.adoptStored();
      return replaced ? undefined : { kind: 'bad_request', reason: 'bad_request', error };
    }
    if (error.status !== 429) return this.#backOff(error.code);
    const seconds = error.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS;
    host.debug(`rate limited, waiting ${seconds} s`);
    await sleep(link.clock, seconds * 1000, this.#abort.signal);
    return undefined;
  }

  async #backOff(why: string): Promise<undefined> {
    const { host, link } = this.#options;
    const wait = this.#backoffMs;
    this.#backoffMs = Math.min(2 * wait, LONGEST_BACKOFF_MS);
    host.debug(`no answer (${why}), waiting ${wait} ms`);
    await sleep(link.clock, wait, this.#abort.signal);
  }

  async #rejoin(): Promise<ListenerEnd | undefined> {
    const { link, host } = this.#options;
    try {
      await link.seat.rejoin();
      return undefined;
    } catch (error) {
      const refused = error instanceof ChannelError && !error.retryable;
      if (!refused) return this.#recover(error, this.#generation);
      host.emit({ type: 'rejoin_failed', error: error.code });
      return { kind: 'rejoin_failed', reason: 'rejoin_failed', error };
    }
  }

  /** We are a new participant in an emptied log: read it from its beginning and greet again. */
  #startAgain(inbox: Inbox): void {
    const { link, host } = this.#options;
    const { channelId, name } = link.seat.identity;
    this.#generation = link.seat.generation;
    inbox.restart();
    link.chain.restart();
    this.#moveTo(0);
    host.emit({ type: 'resumed', channel: channelId, name });
    this.#hello().catch((error: unknown) => {
      host.debug(`hello not sent: ${error instanceof Error ? error.message : 'unknown error'}`);
    });
  }
}
