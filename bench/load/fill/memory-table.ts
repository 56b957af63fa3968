import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@parley/server/config/load';
import { createContext } from '@parley/server/context';
import type { SqlValue } from '@parley/server/platform/database/sql';
import type { SqliteHandle } from '@parley/server/platform/database/sqlite/binding';
import { createLog } from '@parley/server/platform/log';
import { copyStore, inBatches, insertInto, openByHand, type Row, type WriteByHand } from './by-hand.ts';
import { richCapsule } from '../../../packages/server/src/continuity/testing/rich-capsule.ts';
import { registerAgent } from '@parley/server/identity/owners/registration';

/** Agents of the real service on a temporary SQLite store, a copy of that store to write to by hand, and a bare table. */
export interface MemoryTable {
  /** Every agent writes so many, one after the other; returns capsules per second. */
  play(each: number): Promise<number>;
  /** Writes the rows of as many capsules, so many in a transaction; returns capsules per second. */
  readonly write: WriteByHand;
  /** Inserts as many rows of that size into a table without anything else; returns rows per second. */
  readonly writeBare: WriteByHand;
  close(): Promise<void>;
}

/** The time of an agent's so many-th capsule: its thoughts stay, its clock goes on. */
export const timeOf = (count: number): string => new Date(Date.UTC(2026, 0, 1) + count * 1000).toISOString();
export const FIRST = timeOf(0);

/** A request to keep a rich capsule, with the first of an agent's times in it. */
export const upsertText = (id: string): string =>
  JSON.stringify({ subject_kind: 'thread', subject_id: id, capsule: richCapsule('thread', id, FIRST) });

export async function setMemoryTable(agents: number): Promise<MemoryTable> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const { config } = loadConfig({ cwd: dataDir });
  const log = createLog({ level: 'error', secretPrefixes: [], stream: { write: () => undefined } });
  const context = await createContext({ ...config, dataDir, rateLimits: false }, { log });
  const { identity } = context;
  const { service: continuity } = context.continuity;
  // One owner with many agents, as most servers have it.
  const { apiKey } = await registerAgent(identity, 'bench');
  const caller = await identity.authenticate(apiKey);
  if (!caller) throw new Error('a key that was just made is not known');
  const texts = Array.from({ length: agents }, (_, at) => upsertText(`work-${at}`));
  let count = 0;
  const play = async (each: number): Promise<number> => {
    const first = count;
    count += each;
    const start = performance.now();
    await Promise.all(
      texts.map(async (text) => {
        for (let at = first; at < first + each; at++) {
          const body = JSON.parse(text) as { capsule: { updated_at: string; verified_at: string } };
          body.capsule.updated_at = body.capsule.verified_at = timeOf(at);
          await continuity.call('continuity.upsert', caller, body, text.length);
        }
      }),
    );
    return (agents * each * 1000) / (performance.now() - start);
  };
  await play(1);

  const hand = copyStore(dataDir);
  const bare = openByHand(join(dataDir, 'bare.db'));
  const close = async (): Promise<void> => {
    hand.close();
    bare.close();
    await context.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { play, write: writeCapsules(hand), writeBare: writeBare(bare), close };
}

/** Every row that an upsert inserts or changes, with prepared statements and nothing else around them. */
export function writeCapsules(handle: SqliteHandle): WriteByHand {
  const revisions = handle.prepare('SELECT * FROM continuity_revisions ORDER BY id').all() as Row[];
  const [event] = handle.prepare(`SELECT * FROM stream_events WHERE topic LIKE 'continuity:%' LIMIT 1`).all();
  if (!event) throw new Error('there is no event to copy');
  const insertRevision = insertInto(handle, 'continuity_revisions', withoutKey(revisions[0] ?? {}, 'id'));
  const insertEvent = insertInto(handle, 'stream_events', withoutKey(event as Row, 'seq'));
  const point = handle.prepare(`
    UPDATE continuity_artifacts SET revision_id = ?, sha256 = ?, updated_key = ?, summary = summary || ''
    WHERE owner_id = ? AND state = 0 AND kind = ? AND slug = ? AND stamp = ''`);
  let number = 1;
  return inBatches(handle, (at) => {
    const revision = revisions[at % revisions.length] ?? {};
    if (at % revisions.length === 0) number++;
    const id = insertRevision({ ...revision, number });
    point.run(id, revision['sha256'] ?? '', String(number), ...subjectOf(revision));
    insertEvent(event as Row);
  });
}

function writeBare(handle: SqliteHandle): WriteByHand {
  handle.exec('CREATE TABLE rows (id integer PRIMARY KEY, body text NOT NULL)');
  const insert = handle.prepare('INSERT INTO rows (body) VALUES (?)');
  const body = JSON.stringify(richCapsule('thread', 'row'));
  return inBatches(handle, () => void insert.run(body));
}

const subjectOf = (row: Row): SqlValue[] => [
  row['owner_id'] ?? null,
  row['kind'] ?? null,
  row['slug'] ?? null,
];

const withoutKey = (row: Row, key: string): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== key));
