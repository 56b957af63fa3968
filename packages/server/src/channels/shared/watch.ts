import { MAX_PAGE_BYTES, MAX_PAGE_EVENTS } from '@parley/protocol/channels/limits';
import type { RosterEntry } from '@parley/protocol/channels/types';
import type { Page } from '../store.ts';

interface Here {
  /** Polls and streams, and requests that may become one. */
  count: number;
  /** Whether Redis was told that this member waits here. */
  told: boolean;
}

/** One channel that somebody waits in at this node: who, and what was heard of it lately. */
export class Watch {
  readonly channelId: string;
  /** Resolves when this node hears of the channel. */
  readonly subscribed: Promise<unknown>;
  readonly #here = new Map<string, Here>();
  #events: string[] = [];
  #bytes = 0;
  #roster = '[]';
  /** The length of the log as those who wait know it. */
  length = 0;

  constructor(channelId: string, subscribed: Promise<unknown>) {
    this.channelId = channelId;
    this.subscribed = subscribed;
  }

  get isIdle(): boolean {
    return this.#here.size === 0;
  }

  /** Those that Redis has to hear of again. */
  get waiting(): string[] {
    return [...this.#here].filter(([, { told }]) => told).map(([handle]) => handle);
  }

  enter(handle: string): void {
    const here = this.#here.get(handle);
    if (here) here.count += 1;
    else this.#here.set(handle, { count: 1, told: false });
  }

  told(handle: string): void {
    const here = this.#here.get(handle);
    if (here) here.told = true;
  }

  /** True when Redis has to be told that this member no longer waits here. */
  exit(handle: string): boolean {
    const here = this.#here.get(handle);
    if (!here) return false;
    here.count -= 1;
    if (here.count > 0) return false;
    this.#here.delete(handle);
    return here.told;
  }

  /** False for what was heard before. */
  hear(index: number, event: string, roster: string): boolean {
    if (index < this.length) return false;
    if (index !== this.length) this.#forget();
    this.length = index + 1;
    this.#events.push(event);
    this.#bytes += event.length;
    this.#roster = roster;
    while (this.#events.length > MAX_PAGE_EVENTS || this.#bytes > MAX_PAGE_BYTES) {
      if (this.#events.length === 1) break;
      this.#bytes -= this.#events.shift()?.length ?? 0;
    }
    return true;
  }

  /** The log began anew, or lies otherwise than was thought. */
  restart(length: number): void {
    this.#forget();
    this.length = length;
  }

  /** What is at `since`, if all of it was heard. */
  page(since: number): Page | undefined {
    const from = since - (this.length - this.#events.length);
    if (from < 0 || from >= this.#events.length) return undefined;
    return pageOf(since, this.#events.slice(from), this.length, this.#roster);
  }

  #forget(): void {
    this.#events = [];
    this.#bytes = 0;
  }
}

export function pageOf(since: number, events: readonly string[], length: number, roster: string): Page {
  const text = events.join(',');
  return {
    events: events.length === 0 ? [] : [Buffer.from(text)],
    cursor: since + events.length,
    length,
    // Put together by our function from what was JSON already.
    roster: JSON.parse(roster) as RosterEntry[],
  };
}
