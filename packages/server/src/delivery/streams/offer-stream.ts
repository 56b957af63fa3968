import { LIVE_PING } from '@parley/protocol/delivery/limits';
import type { ServerResponse } from 'node:http';
import type { AgentsContext } from '../agents-context.ts';
import type { MessagingContext } from '../messaging-context.ts';
import type { AgentRef, Credential } from '../../wire/caller.ts';
import type { SseConnection, SseEnd, SseFace, SseHandlers } from '../../platform/streams/sse.ts';
import { sseFrame } from '../../platform/streams/sse-frame.ts';
import { WheelEntry } from '../../platform/timer-wheel.ts';
import { iso } from '../../wire/delivery/times.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { executionById, offersTo } from '../records/execution-store.ts';
import { beatSession } from '../sessions/live-sessions.ts';
import type { SessionRow } from '../sessions/session-store.ts';
import { liveHolder } from '../records/live-window.ts';
import { claimableAnswers } from '../executions/execution-answers.ts';

export interface OfferStreamParts extends MessagingContext {
  readonly agents: AgentsContext;
  readonly face: SseFace;
  readonly onError: (error: unknown) => void;
}

export interface Monitor {
  readonly agent: AgentRef;
  readonly session: SessionRow;
  readonly credential: Credential;
}

/**
 * One monitor's view of what is offered to its live session. It never trusts a hint for what it says: at every hint and every
 * ping it reads the open offers and tells the difference to what it has shown.
 */
export class OfferStream extends WheelEntry implements SseHandlers {
  readonly sessionId: string;
  readonly #parts: OfferStreamParts;
  readonly #monitor: Monitor;
  readonly #connection: SseConnection;
  readonly #onClosed: (reason: SseEnd) => void;
  readonly #shown = new Set<string>();
  #looking = false;
  #beats: Promise<void> = Promise.resolve();
  #lookAgain = false;

  constructor(
    parts: OfferStreamParts,
    monitor: Monitor,
    response: ServerResponse,
    onClosed: (reason: SseEnd) => void,
  ) {
    super();
    this.#parts = parts;
    this.#monitor = monitor;
    this.#onClosed = onClosed;
    this.sessionId = monitor.session.id;
    this.#connection = parts.face.open(response, this);
    parts.face.wheel.start(this, LIVE_PING);
  }

  /** Something was offered or withdrawn. */
  look(): void {
    this.#lookAgain = true;
    if (this.#looking || !this.#connection.open) return;
    this.#looking = true;
    this.#lookWhileNeeded()
      .catch((error: unknown) => {
        this.#parts.onError(error);
        this.end();
      })
      .finally(() => (this.#looking = false));
  }

  /** An open stream is a sign of life of its session. */
  override fire(): void {
    const { face, clock } = this.#parts;
    this.#connection.send(
      sseFrame({ event: 'ping', data: JSON.stringify({ server_time: iso(clock.now()) }) }),
    );
    // One after the other: a beat that is stored after a later one would take it back.
    this.#beats = this.#beats.then(() => this.#beat());
    this.look();
    if (this.#connection.open) face.wheel.start(this, LIVE_PING);
  }

  end(): void {
    this.#connection.end();
  }

  closed(reason: SseEnd): void {
    this.#parts.face.wheel.cancel(this);
    this.#onClosed(reason);
  }

  async #beat(): Promise<void> {
    const { agents, onError } = this.#parts;
    const { agent, session } = this.#monitor;
    if (!this.#connection.open) return;
    try {
      const beaten = await beatSession(agents, agent, session.label);
      if (beaten.id !== session.id) this.end();
    } catch (error) {
      // A store that cannot be written right now says nothing about the session.
      if (error instanceof DeliveryError) this.end();
      else onError(error);
    }
  }

  async #lookWhileNeeded(): Promise<void> {
    while (this.#lookAgain && this.#connection.open) {
      this.#lookAgain = false;
      await this.#tellDifference();
    }
  }

  async #tellDifference(): Promise<void> {
    const { database } = this.#parts;
    const rows = await offersTo(database.read, this.sessionId);
    const open = new Set(rows.filter(({ held }) => held === 0).map(({ id }) => id));
    for (const id of this.#shown) {
      if (!open.has(id) && !(await this.#isOurs(id))) this.#send('withdrawn', { execution_id: id });
    }
    const fresh = rows.filter(({ id }) => open.has(id) && !this.#shown.has(id));
    const items = fresh.length === 0 ? [] : await claimableAnswers(this.#parts, database.read, fresh);
    this.#shown.clear();
    for (const id of open) this.#shown.add(id);
    for (const item of items) this.#send('offer', item);
  }

  /** Whoever took the offer need not be told that it is gone. */
  async #isOurs(executionId: string): Promise<boolean> {
    const execution = await executionById(this.#parts.database.read, executionId);
    return execution?.claimed_by === liveHolder(this.#monitor.session.label);
  }

  #send(event: 'offer' | 'withdrawn', data: object): void {
    this.#connection.send(sseFrame({ event, data: JSON.stringify(data) }));
  }
}
