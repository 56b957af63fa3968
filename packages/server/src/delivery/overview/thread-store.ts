import { MESSAGE_STATES, type MessageState } from '@parley/protocol/delivery/vocabulary';
import { type RawBuilder, sql as raw } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { containing } from '../../platform/database/like-pattern.ts';
import { type ListedMessage, listedMessage } from './message-pages-store.ts';
import type { Place } from './place.ts';

/** A thread, shown by its newest message that was asked for. */
export interface ListedThread extends ListedMessage {
  /** The subject it began with, as far as the owner sees that. */
  readonly opened_as: string | null;
  /** Up to `COUNTED`. */
  readonly messages: number;
  readonly unread: number;
  readonly tripped_at: number | null;
}

/** Threads with unread messages come first, then the others, each part newest first. */
export type Part = 'unread' | 'rest';

export interface ThreadPlace {
  readonly part: Part;
  /** Undefined: where the part begins. */
  readonly after: Place | undefined;
}

export interface ThreadAsk {
  /** Whose; undefined: everybody's. */
  readonly ownerId: string | undefined;
  readonly agent: string | undefined;
  readonly state: MessageState | undefined;
  readonly priority: number | undefined;
  /** Somewhere in a subject. */
  readonly subject: string | undefined;
  readonly from: ThreadPlace;
  readonly limit: number;
}

/** Its recipient has not read it. */
export const UNREAD_STATES: readonly MessageState[] = [
  'queued',
  'delivering',
  'retry_ready',
  'claimed',
  'delivered',
];

/** How many messages one page looks through at most: what is looked for may be rare, and the next page goes on from there. */
const WINDOW = 5_000;
/** Beyond that nobody needs to know how many. */
const COUNTED = 100;

type Condition = RawBuilder<unknown>;

const LISTED = raw.raw(listedMessage.list('m'));

/** So written that no index is chosen by it: rows are found by the stretch they lie in, or by their thread. */
const column = (table: string, name: string): Condition => raw`COALESCE(${raw.ref(`${table}.${name}`)}, '')`;
const ALWAYS = raw`1 = 1`;
const all = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? ALWAYS : raw.join([...conditions], raw` AND `);

const unread = (table: string): Condition =>
  raw`${column(table, 'state')} IN (${raw.join([...UNREAD_STATES])})`;

/** What an owner has to read is what its agents have to read. */
const unreadFor = (table: string, { ownerId }: ThreadAsk): Condition =>
  ownerId === undefined
    ? unread(table)
    : raw`${unread(table)} AND ${column(table, 'recipient_owner')} = ${ownerId}`;

const visible = (table: string, { ownerId }: ThreadAsk): Condition =>
  ownerId === undefined
    ? ALWAYS
    : raw`(${column(table, 'recipient_owner')} = ${ownerId} OR ${column(table, 'sender_owner')} = ${ownerId})`;

function matches(table: string, ask: ThreadAsk): Condition {
  const { agent, state, priority, subject } = ask;
  return all([
    visible(table, ask),
    ...(agent === undefined
      ? []
      : [raw`(${column(table, 'recipient')} = ${agent} OR ${column(table, 'sender')} = ${agent})`]),
    ...(state === undefined ? [] : [raw`${column(table, 'state')} = ${state}`]),
    ...(priority === undefined ? [] : [raw`${raw.ref(`${table}.priority`)} = ${priority}`]),
    ...(subject === undefined
      ? []
      : [
          raw`lower(${column(table, 'subject')}) LIKE lower(CAST(${containing(subject)} AS text)) ESCAPE '\\'`,
        ]),
  ]);
}

const READ_STATES = MESSAGE_STATES.filter((state) => !UNREAD_STATES.some((each) => each === state));

/** The stretches of indexes that a part lies in: each is of one state, and is read as far as the page needs it. */
function stretches(part: Part, ask: ThreadAsk): readonly Condition[] {
  const { ownerId, agent, state } = ask;
  const of = (states: readonly MessageState[], within: Condition): Condition[] =>
    states
      .filter((each) => state === undefined || each === state)
      .map((each) => raw`${within} AND m.state = ${each}`);
  const own = part === 'unread' ? UNREAD_STATES : READ_STATES;
  if (agent !== undefined)
    return [...of(MESSAGE_STATES, raw`m.recipient = ${agent}`), raw`m.sender = ${agent}`];
  if (ownerId === undefined) return of(own, ALWAYS);
  const abroad = raw`m.sender_owner = ${ownerId} AND m.sender_owner <> m.recipient_owner`;
  return [
    ...of(own, raw`m.recipient_owner = ${ownerId}`),
    // Whether others have read what went to them is theirs to know first.
    ...(part === 'rest' ? of(MESSAGE_STATES, abroad) : []),
  ];
}

interface Found {
  readonly rows: readonly ListedThread[];
  /** How far was looked, where that was not to the end. */
  readonly end: Place | undefined;
}

/** The places are compared as pairs, so that an index is entered where the page begins. */
async function lookThrough(reader: Reader, part: Part, stretch: Condition, ask: ThreadAsk): Promise<Found> {
  const database = reader.kysely();
  const { after } = ask.from;
  const from = after ? raw`${stretch} AND (m.created_at, m.id) < (${after.at}, ${after.id})` : stretch;
  const ends = await raw<{ at: number; id: string }>`
    SELECT m.created_at AS at, m.id FROM messages m WHERE ${from}
    ORDER BY m.created_at DESC, m.id DESC LIMIT 1 OFFSET ${WINDOW - 1}`.execute(database);
  const end = ends.rows[0];
  const within = end ? raw`${from} AND (m.created_at, m.id) >= (${end.at}, ${end.id})` : from;
  const newer = raw`(o.created_at, o.id) > (m.created_at, m.id)`;
  const shownElsewhere =
    part === 'unread'
      ? raw`${unreadFor('o', ask)} AND ${newer}`
      : raw`((${unreadFor('o', ask)}) OR ${newer})`;
  const { rows } = await raw<ListedThread>`
    SELECT ${LISTED},
      (SELECT f.subject FROM messages f WHERE f.thread_id = m.thread_id AND f.subject IS NOT NULL
        AND ${visible('f', ask)} ORDER BY f.created_at, f.id LIMIT 1) AS opened_as,
      (SELECT count(*) FROM (SELECT 1 AS one FROM messages c WHERE c.thread_id = m.thread_id
        AND ${visible('c', ask)} LIMIT ${COUNTED}) counted) AS messages,
      (SELECT count(*) FROM (SELECT 1 AS one FROM messages c WHERE c.thread_id = m.thread_id
        AND ${unreadFor('c', ask)} LIMIT ${COUNTED}) counted) AS unread,
      (SELECT t.tripped_at FROM message_threads t WHERE t.id = m.thread_id) AS tripped_at
    FROM messages m
    WHERE ${within} AND ${matches('m', ask)} AND ${part === 'unread' ? unreadFor('m', ask) : ALWAYS} AND NOT EXISTS (
      SELECT 1 FROM messages o WHERE o.thread_id = m.thread_id AND ${matches('o', ask)} AND ${shownElsewhere})
    ORDER BY m.created_at DESC, m.id DESC LIMIT ${ask.limit + 1}`.execute(database);
  return { rows, end };
}

const isBefore = (a: Place, b: Place): boolean => a.at > b.at || (a.at === b.at && a.id > b.id);
const placeOf = ({ created_at: at, id }: ListedThread): Place => ({ at, id });

async function partOf(reader: Reader, part: Part, ask: ThreadAsk): Promise<Found> {
  const found = await Promise.all(
    stretches(part, ask).map((stretch) => lookThrough(reader, part, stretch, ask)),
  );
  // Where one stretch was not seen to its end, what lies beyond in another waits for it.
  const end = found
    .flatMap((each) => (each.end ? [each.end] : []))
    .reduce<Place | undefined>((first, each) => (first && isBefore(first, each) ? first : each), undefined);
  const rows = [...new Map(found.flatMap((each) => each.rows.map((row) => [row.id, row] as const))).values()]
    .filter((row) => !end || !isBefore(end, placeOf(row)))
    .toSorted((a, b) => (isBefore(placeOf(a), placeOf(b)) ? -1 : 1));
  const last = rows[ask.limit - 1];
  if (rows.length > ask.limit && last) return { rows: rows.slice(0, ask.limit), end: placeOf(last) };
  return { rows, end };
}

const REST: ThreadPlace = { part: 'rest', after: undefined };

/** Whether something in that state can be unread. */
const canBeUnread = ({ state }: ThreadAsk): boolean =>
  state === undefined || UNREAD_STATES.some((each) => each === state);

/** A page of threads, and where the next one begins. */
export async function threadsLately(
  reader: Reader,
  ask: ThreadAsk,
): Promise<{ rows: readonly ListedThread[]; next: ThreadPlace | undefined }> {
  const { part } = ask.from;
  if (part === 'unread' && !canBeUnread(ask)) return await threadsLately(reader, { ...ask, from: REST });
  const { rows, end } = await partOf(reader, part, ask);
  if (end) return { rows, next: { part, after: end } };
  if (part === 'rest') return { rows, next: undefined };
  const room = ask.limit - rows.length;
  if (room === 0) return { rows, next: REST };
  const others = await partOf(reader, 'rest', { ...ask, from: REST, limit: room });
  return { rows: [...rows, ...others.rows], next: others.end && { part: 'rest', after: others.end } };
}
