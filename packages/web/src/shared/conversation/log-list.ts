import { buttonById, byId, element, on } from '../dom.ts';
import { dayInWords, isSameDay, refreshTimes } from '../moment.ts';

const NEAR_END_PX = 48;
const GROUP_WITHIN_MS = 2 * 60_000;
const REFRESH_TIMES_MS = 30_000;

export interface LogItem {
  readonly at: number;
  /** The same for messages that may stand under one name; null for a line that nobody said. */
  readonly speaker: string | null;
  draw(isFollowing: boolean): HTMLElement;
}

/** The list of messages. Follows the newest while the reader is at the end, and never moves under one who is not. */
export class LogList {
  readonly #log = byId('log');
  readonly #scroll = byId('scroll');
  readonly #newer = buttonById('newer');
  #longest: number;
  #last: LogItem | undefined;
  #unseen = 0;
  #atEnd = true;

  constructor(longest = Number.POSITIVE_INFINITY) {
    this.#longest = longest;
    on(this.#newer, 'click', () => this.toEnd());
    on(this.#scroll, 'scroll', () => this.#scrolled());
    // The keyboard of a phone, a growing composer or a message drawn late takes room away: the newest stays in sight.
    const keeper = new ResizeObserver(() => this.keepEnd());
    keeper.observe(this.#scroll);
    keeper.observe(this.#log.parentElement ?? this.#log);
    setInterval(() => refreshTimes(this.#log), REFRESH_TIMES_MS);
  }

  /** Where the reader is elsewhere, a button says how much is new. */
  add(item: LogItem): void {
    this.#append(item);
    if (this.#atEnd) return this.toEnd();
    if (item.speaker !== null) this.#countUnseen(this.#unseen + 1);
  }

  /** Draws everything anew. The reader stays at the same distance from the end. */
  fill(items: readonly LogItem[]): void {
    const toEnd = this.#scroll.scrollHeight - this.#scroll.scrollTop;
    this.#log.replaceChildren();
    this.#last = undefined;
    this.#longest = Math.max(this.#longest, items.length);
    for (const item of items) this.#append(item);
    this.#scroll.scrollTop = this.#scroll.scrollHeight - toEnd;
  }

  toEnd(): void {
    this.#atEnd = true;
    this.#countUnseen(0);
    this.#scroll.scrollTop = this.#scroll.scrollHeight;
  }

  keepEnd(): void {
    if (this.#atEnd) this.toEnd();
  }

  #append(item: LogItem): void {
    const now = Date.now();
    const last = this.#last;
    const isNewDay = !isSameDay(item.at, last?.at ?? now);
    if (isNewDay) this.#log.append(element('p', 'system day', dayInWords(item.at, now)));
    const isFollowing =
      !isNewDay &&
      item.speaker !== null &&
      item.speaker === last?.speaker &&
      item.at - last.at < GROUP_WITHIN_MS;
    this.#log.append(item.draw(isFollowing));
    this.#last = item;
    // Trimmed only where nobody is looking.
    while (this.#atEnd && this.#log.childElementCount > this.#longest) this.#log.firstElementChild?.remove();
  }

  #scrolled(): void {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroll;
    this.#atEnd = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    if (this.#atEnd) this.#countUnseen(0);
  }

  #countUnseen(count: number): void {
    this.#unseen = count;
    this.#newer.hidden = count === 0;
    this.#newer.textContent = `${count} new`;
  }
}
