import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export interface ListedEndpoint {
  readonly id: string;
  readonly agent: string;
  readonly url: string;
  readonly enabled: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Newest first: of one account, or of all. Secrets are not read. */
export function endpointsLately(
  reader: Reader,
  ownerId: string | undefined,
  limit: number,
): Promise<ListedEndpoint[]> {
  return ownerId === undefined
    ? reader.all<ListedEndpoint>(sql`
        SELECT id, agent, url, enabled, created_at, updated_at FROM room_webhook_endpoints
        ORDER BY seq DESC LIMIT ${limit}`)
    : reader.all<ListedEndpoint>(sql`
        SELECT id, agent, url, enabled, created_at, updated_at FROM room_webhook_endpoints
        WHERE owner_id = ${ownerId} ORDER BY seq DESC LIMIT ${limit}`);
}
