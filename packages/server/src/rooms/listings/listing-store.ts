import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export interface NewListing {
  readonly id: string;
  readonly roomId: string;
  readonly agent: string;
  readonly topic: string;
  readonly tags: readonly string[];
  readonly maxTurns: number;
  readonly ttlSeconds: number;
  readonly ttlAt: number;
  readonly createdAt: number;
  /** Undefined: a public offer. */
  readonly allowed: readonly string[] | undefined;
}

export interface StoredListing {
  readonly seq: number;
  readonly id: string;
  readonly roomId: string;
  readonly agent: string;
  readonly topic: string;
  /** JSON. */
  readonly tags: string;
  readonly maxTurns: number;
  readonly ttlSeconds: number;
  readonly createdAt: number;
  readonly private: number;
  readonly connected: number;
}

/** Between topic and tags, so that no search matches across two of them: in what is searched it counts as a space. */
const SEPARATOR = '\u001f';

/** As topics, tags and what is searched for are compared. */
export function searchable(text: string): string {
  return text.toLowerCase().replaceAll(SEPARATOR, ' ');
}

export async function insertListing(tx: Tx, listing: NewListing): Promise<void> {
  const { id, roomId, agent, topic, tags, maxTurns, ttlSeconds, ttlAt, createdAt, allowed } = listing;
  const searchText = [topic, ...tags].map(searchable).join(SEPARATOR);
  await tx.run(sql`
    INSERT INTO room_listings (id, room_id, agent, topic, tags, search_text, max_turns, ttl_seconds, ttl_at, private,
      visible, connected, created_at)
    VALUES (${id}, ${roomId}, ${agent}, ${topic}, ${JSON.stringify(tags)}, ${searchText}, ${maxTurns}, ${ttlSeconds},
      ${ttlAt}, ${allowed ? 1 : 0}, 1, 0, ${createdAt})`);
  for (const suffix of allowed ?? []) {
    await tx.run(sql`INSERT INTO room_listing_allows (listing_id, agent) VALUES (${id}, ${suffix})`);
  }
}

export function findListing(reader: Reader, id: string): Promise<StoredListing | undefined> {
  return reader.get<StoredListing>(sql`
    SELECT seq AS "seq", id AS "id", room_id AS "roomId", agent AS "agent", topic AS "topic", tags AS "tags",
           max_turns AS "maxTurns", ttl_seconds AS "ttlSeconds", created_at AS "createdAt", private AS "private",
           connected AS "connected"
    FROM room_listings WHERE id = ${id}`);
}

export interface ListingSearch {
  /** As `searchable` makes it; empty matches all. */
  readonly text: string;
  readonly beforeSeq: number;
  readonly now: number;
  /** Sees private offers made to this agent, or by it. */
  readonly agent: string | undefined;
  readonly limit: number;
}

/** Walks the open listings only, newest first, and stops at the limit. */
export function searchListings(reader: Reader, search: ListingSearch): Promise<StoredListing[]> {
  const { beforeSeq, now, limit } = search;
  const agent = search.agent ?? '';
  const pattern = `%${search.text.replace(/[\\%_]/g, '\\$&')}%`;
  return reader.all<StoredListing>(sql`
    SELECT l.seq AS "seq", l.id AS "id", l.room_id AS "roomId", l.agent AS "agent", l.topic AS "topic", l.tags AS "tags",
           l.max_turns AS "maxTurns", l.ttl_seconds AS "ttlSeconds", l.created_at AS "createdAt",
           l.private AS "private", l.connected AS "connected"
    FROM room_listings l
    WHERE l.visible = 1 AND l.seq < ${beforeSeq} AND l.ttl_at >= ${now}
      AND l.search_text LIKE ${pattern} ESCAPE '\\'
      AND (l.private = 0 OR l.agent = ${agent} OR EXISTS (
        SELECT 1 FROM room_listing_allows a WHERE a.listing_id = l.id AND a.agent = ${agent}))
    ORDER BY l.seq DESC LIMIT ${limit}`);
}

export function findOpenListings(
  reader: Reader,
  agent: string,
): Promise<Pick<StoredListing, 'id' | 'roomId'>[]> {
  return reader.all(sql`
    SELECT id AS "id", room_id AS "roomId" FROM room_listings
    WHERE agent = ${agent} AND visible = 1 ORDER BY room_id`);
}

export interface OpenListings {
  readonly open: number;
  readonly firstExpiry: number | null;
}

export async function countOpenListings(reader: Reader, agent: string, now: number): Promise<OpenListings> {
  const row = await reader.get<OpenListings>(sql`
    SELECT COUNT(*) AS "open", MIN(ttl_at) AS "firstExpiry" FROM room_listings
    WHERE agent = ${agent} AND visible = 1 AND ttl_at >= ${now}`);
  return row ?? { open: 0, firstExpiry: null };
}

export async function isAllowed(reader: Reader, listingId: string, agent: string): Promise<boolean> {
  const row = await reader.get(sql`
    SELECT agent FROM room_listing_allows WHERE listing_id = ${listingId} AND agent = ${agent}`);
  return row !== undefined;
}

/** Every place is taken. */
export async function markConnected(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`UPDATE room_listings SET connected = 1, visible = 0 WHERE id = ${id}`);
}

export async function hideListing(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`UPDATE room_listings SET visible = 0 WHERE id = ${id} AND visible = 1`);
}

/** The listing's id stays known, so that connecting to it is still answered with what happened. */
export async function blankListing(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`
    UPDATE room_listings SET topic = '', tags = '[]', search_text = '', visible = 0 WHERE id = ${id}`);
}
