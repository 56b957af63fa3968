import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Random } from '../ids.ts';
import type { StreamHub } from './hub.ts';
import type { StreamEvent, StreamSource } from './stream-event.ts';

export interface LoggedEvent extends StreamEvent {
  readonly topic: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** One line of JSON. */
  readonly data: string;
}

export interface EventLogOptions {
  db: Database;
  hub: Pick<StreamHub<LoggedEvent>, 'publish'>;
  /** Tells other nodes, after the commit. */
  announce?: (topic: string, seq: number) => void;
  random: Pick<Random, 'unit'>;
  /** So many of a topic can always be read, and up to some hundreds more. */
  kept?: number;
}

const KEPT = 10_000;
/** By chance one in so many events removes what its topic has beyond that. Of a counter that topics share some would never come by. */
const SWEPT_BY_ONE_OF = 256;
/** More than come meanwhile; a store that has many more loses them bit by bit, so that no write waits for long. */
const SWEPT_AT_ONCE = 2_000;

/**
 * The durable events of all topics, under one server-wide counter. Within a topic the order of sequences is the order of
 * commits, so whoever has read up to a sequence has read everything before it. Of each topic the newest are kept: who was away for longer
 * goes on with the oldest of them.
 */
export class EventLog {
  readonly #options: EventLogOptions;

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  /**
   * Part of the transaction that causes the event; listeners hear of it once that is on disk. A write that appends to
   * several topics does so in the order of their names: two that take turns the other way round would wait for each other.
   */
  async append(tx: Tx, topic: string, value: object, at: number): Promise<number> {
    const data = JSON.stringify(value);
    // Taken before the counter is read, or a later sequence could be committed before an earlier one.
    await tx.lock(`stream:${topic}`);
    const row = await tx.get<{ seq: number; prev: number }>(sql`
      INSERT INTO stream_events (topic, prev, at, data)
      VALUES (
        ${topic},
        COALESCE((SELECT MAX(seq) FROM stream_events WHERE topic = ${topic}), 0),
        ${at},
        ${data}
      )
      RETURNING seq, prev`);
    if (!row) throw new TypeError('an inserted event returned no row');
    if (this.#options.random.unit() * SWEPT_BY_ONE_OF < 1) await this.#sweep(tx, topic);
    const event: LoggedEvent = { seq: row.seq, prev: row.prev, topic, at, data };
    tx.afterCommit(() => {
      this.#options.hub.publish(topic, event);
      this.#options.announce?.(topic, event.seq);
    });
    return event.seq;
  }

  read(topic: string, after: number, limit: number): Promise<readonly LoggedEvent[]> {
    return this.#options.db.read.all<LoggedEvent>(sql`
      SELECT seq, prev, topic, at, data FROM stream_events
      WHERE topic = ${topic} AND seq > ${after} ORDER BY seq LIMIT ${limit}`);
  }

  async #sweep(tx: Tx, topic: string): Promise<void> {
    const { kept = KEPT } = this.#options;
    await tx.run(sql`
      DELETE FROM stream_events WHERE topic = ${topic} AND seq IN (
        SELECT seq FROM stream_events WHERE topic = ${topic} AND seq <= (
          SELECT seq FROM stream_events WHERE topic = ${topic} ORDER BY seq DESC LIMIT 1 OFFSET ${kept}
        ) ORDER BY seq LIMIT ${SWEPT_AT_ONCE}
      )`);
  }

  source(topic: string): StreamSource<LoggedEvent> {
    return { read: (after, limit) => this.read(topic, after, limit) };
  }
}
