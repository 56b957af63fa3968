import type { Reader } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/table.ts';
import { endpointTable } from '../webhooks/endpoint-store.ts';

/** Secrets are not read. */
const listed = endpointTable.pick('id', 'agent', 'url', 'enabled', 'createdAt', 'updatedAt');

export type ListedEndpoint = RowOf<typeof listed>;

/** Newest first: of one account, or of all. */
export function endpointsLately(
  reader: Reader,
  ownerId: string | undefined,
  limit: number,
): Promise<ListedEndpoint[]> {
  return ownerId === undefined
    ? reader.all(listed.select`ORDER BY seq DESC LIMIT ${limit}`)
    : reader.all(listed.select`WHERE owner_id = ${ownerId} ORDER BY seq DESC LIMIT ${limit}`);
}
