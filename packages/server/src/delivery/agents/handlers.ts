import { parseAgentAddress } from '@parley/protocol/identity/agent-address';
import type { Agents } from '../../identity/agents/agents.ts';
import type { Reader } from '../../platform/database/database.ts';
import { agentsWithTask } from './agent-store.ts';

/** The agents of an owner that a worker's handlers name: by bg task, slug, address or id. Sorted. */
export async function handledAgents(
  reader: Reader,
  directory: Agents,
  ownerId: string,
  handlers: readonly string[],
): Promise<string[]> {
  const ownSlug = (await directory.ownerSlugs(reader, [ownerId])).get(ownerId);
  const addresses = handlers.map(parseAgentAddress).filter((address) => address !== undefined);
  const slugs = addresses.flatMap((address) =>
    address.form === 'slug' && (address.owner ?? ownSlug) === ownSlug ? [address.slug] : [],
  );
  const ids = addresses.flatMap((address) => (address.form === 'id' ? [address.suffix] : []));
  const byTask = await agentsWithTask(reader, ownerId, handlers);
  const bySlug = await directory.withSlugs(reader, ownerId, slugs);
  const byId = [...(await directory.bySuffix(ids, reader)).values()].filter(
    (agent) => agent.ownerId === ownerId && agent.deletedAt === null,
  );
  return [...new Set([...byTask, ...[...bySlug, ...byId].map(({ suffix }) => suffix)])].toSorted();
}
