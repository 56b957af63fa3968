import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export async function wasImported(
  reader: Reader,
  ownerId: string,
  path: string,
  sha256: string,
): Promise<boolean> {
  return await reader.exists(sql`
    SELECT 1 AS known FROM continuity_imports
    WHERE owner_id = ${ownerId} AND path = ${path} AND sha256 = ${sha256}`);
}

export async function rememberImport(
  tx: Tx,
  ownerId: string,
  { path, sha256, source, now }: { path: string; sha256: string; source: string; now: number },
): Promise<void> {
  await tx.run(sql`
    INSERT INTO continuity_imports (owner_id, path, sha256, source, imported_at)
    VALUES (${ownerId}, ${path}, ${sha256}, ${source}, ${now})
    ON CONFLICT (owner_id, path, sha256) DO UPDATE SET source = excluded.source`);
}

/** Whose memory was taken from a folder before. */
export async function importedInto(reader: Reader, source: string): Promise<string[]> {
  return await reader.values<string>(
    sql`SELECT DISTINCT owner_id FROM continuity_imports WHERE source = ${source}`,
  );
}
