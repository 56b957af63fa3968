import { throwLater, type TimerWheel, WheelEntry } from '../timer-wheel.ts';

/** Why a parked request is answered: something came, its hold time passed, or its topic is over. */
export type WakeReason = 'event' | 'timeout' | 'ended';

/**
 * Requests parked until something happens in their topic. One object and one set entry per parked request; hold times
 * share the wheel's clock timer. The caller looks up what happened itself: a wake carries no data.
 */
export class Waiters<Topic> {
  readonly #wheel: TimerWheel;
  readonly #onError: (error: unknown) => void;
  readonly #topics = new Map<Topic, Set<Waiter<Topic>>>();
  #parked = 0;

  constructor(wheel: TimerWheel, onError: (error: unknown) => void = throwLater) {
    this.#wheel = wheel;
    this.#onError = onError;
  }

  /** How many requests are parked, in all topics. */
  get parked(): number {
    return this.#parked;
  }

  parkedIn(topic: Topic): number {
    return this.#topics.get(topic)?.size ?? 0;
  }

  /**
   * Calls `settle` once: by the first wake that reaches `position`, after `ms`, or at the topic's end. Never if
   * un-parked before.
   */
  park(topic: Topic, position: number, ms: number, settle: (reason: WakeReason) => void): Waiter<Topic> {
    const waiter = new Waiter(this, topic, position, settle);
    const waiting = this.#topics.get(topic);
    if (waiting) waiting.add(waiter);
    else this.#topics.set(topic, new Set([waiter]));
    this.#parked += 1;
    this.#wheel.start(waiter, ms);
    return waiter;
  }

  /** Answers those parked at or below `position` and tells how many; one that parks again is not woken twice. */
  wake(topic: Topic, position = Number.POSITIVE_INFINITY): number {
    return this.#settleAll(topic, 'event', position);
  }

  /** Hints may have been lost: everyone looks for itself. */
  wakeAll(): void {
    const topics = [...this.#topics.keys()];
    for (const topic of topics) this.wake(topic);
  }

  end(topic: Topic): number {
    return this.#settleAll(topic, 'ended', Number.POSITIVE_INFINITY);
  }

  /** Answers everyone, for a server that stops. */
  endAll(): number {
    let count = 0;
    const topics = [...this.#topics.keys()];
    for (const topic of topics) count += this.end(topic);
    return count;
  }

  /** Takes a waiter out without an answer, for a client that went away. False when it was answered already. */
  unpark(waiter: Waiter<Topic>): boolean {
    const waiting = this.#topics.get(waiter.topic);
    if (!waiting?.delete(waiter)) return false;
    if (waiting.size === 0) this.#topics.delete(waiter.topic);
    this.#parked -= 1;
    this.#wheel.cancel(waiter);
    return true;
  }

  settle(waiter: Waiter<Topic>, reason: WakeReason): boolean {
    if (!this.unpark(waiter)) return false;
    try {
      waiter.answer(reason);
    } catch (error) {
      this.#onError(error);
    }
    return true;
  }

  #settleAll(topic: Topic, reason: WakeReason, position: number): number {
    const waiting = this.#topics.get(topic);
    if (!waiting) return 0;
    let count = 0;
    const present = [...waiting];
    for (const waiter of present) {
      if (waiter.position <= position && this.settle(waiter, reason)) count += 1;
    }
    return count;
  }
}

export class Waiter<Topic> extends WheelEntry {
  readonly topic: Topic;
  readonly position: number;
  readonly answer: (reason: WakeReason) => void;
  readonly #waiters: Waiters<Topic>;

  constructor(waiters: Waiters<Topic>, topic: Topic, position: number, answer: (reason: WakeReason) => void) {
    super();
    this.#waiters = waiters;
    this.topic = topic;
    this.position = position;
    this.answer = answer;
  }

  override fire(): void {
    this.#waiters.settle(this, 'timeout');
  }
}
