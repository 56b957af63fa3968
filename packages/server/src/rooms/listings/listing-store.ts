import type { CreateListing } from '@parley/protocol/rooms/types';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { containing } from '../../platform/database/like-pattern.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, generated, type RowOf, table } from '../../platform/database/table.ts';
import type { Room } from '../room/room.ts';

export const listingTable = table('room_listings', {
  seq: generated<number>(),
  id: column<string>(),
  roomId: column<string>(),
  agent: column<string>(),
  topic: column<string>(),
  /** JSON. */
  tags: column<string>(),
  searchText: column<string>(),
  maxTurns: column<number>(),
  ttlSeconds: column<number>(),
  ttlAt: column<number>(),
  private: column<number>(),
  visible: column<number>(),
  connected: column<number>(),
  createdAt: column<number>(),
});

export type StoredListing = RowOf<typeof listingTable>;

/** Between topic and tags, so that no search matches across two of them: in what is searched it counts as a space. */
const SEPARATOR = '\u001f';

/** As topics, tags and what is searched for are compared. */
export function searchable(text: string): string {
  return text.toLowerCase().replaceAll(SEPARATOR, ' ');
}

/** `allowed` undefined: a public offer. */
export async function insertListing(
  tx: Tx,
  { topic, tags, ttl_seconds: ttlSeconds }: CreateListing,
  { listingId: id, id: roomId, maxTurns, ttlAt, createdAt }: Room,
  agent: string,
  allowed: readonly string[] | undefined,
): Promise<void> {
  const row = {
    id,
    roomId,
    agent,
    topic,
    maxTurns,
    ttlSeconds,
    ttlAt,
    createdAt,
    tags: JSON.stringify(tags),
    searchText: [topic, ...tags].map(searchable).join(SEPARATOR),
    private: allowed ? 1 : 0,
    visible: 1,
    connected: 0,
  };
  await tx.run(listingTable.insert(row));
  for (const suffix of new Set(allowed)) {
    await tx.run(sql`INSERT INTO room_listing_allows (listing_id, agent) VALUES (${id}, ${suffix})`);
  }
}

export const findListing = listingTable.finds('id');

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
  const { text, beforeSeq, now, limit } = search;
  const agent = search.agent ?? '';
  return reader.all<StoredListing>(listingTable.select`
    WHERE visible = 1 AND seq < ${beforeSeq} AND ttl_at >= ${now} AND search_text LIKE ${containing(text)} ESCAPE '\\'
      AND (private = 0 OR agent = ${agent} OR EXISTS (
        SELECT 1 FROM room_listing_allows a WHERE a.listing_id = room_listings.id AND a.agent = ${agent}))
    ORDER BY seq DESC LIMIT ${limit}`);
}

export function findOpenListings(
  reader: Reader,
  agent: string,
): Promise<Pick<StoredListing, 'id' | 'roomId'>[]> {
  return reader.all(sql`
    SELECT id AS "id", room_id AS "roomId" FROM room_listings
    WHERE agent = ${agent} AND visible = 1 ORDER BY room_id`);
}

export async function countOpenListings(reader: Reader, agent: string, now: number) {
  const row = await reader.get<{ open: number; firstExpiry: number | null }>(sql`
    SELECT COUNT(*) AS "open", MIN(ttl_at) AS "firstExpiry" FROM room_listings
    WHERE agent = ${agent} AND visible = 1 AND ttl_at >= ${now}`);
  return row ?? { open: 0, firstExpiry: null };
}

export async function isAllowed(reader: Reader, listingId: string, agent: string): Promise<boolean> {
  return await reader.exists(sql`
    SELECT agent FROM room_listing_allows WHERE listing_id = ${listingId} AND agent = ${agent}`);
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
