import { spellingWith } from '@parley/protocol/identity/agent-id';
import * as declared from '@parley/protocol/identity/routes';
import { SELF_SLUG } from '@parley/protocol/identity/slug';
import type { FastifyInstance } from 'fastify';
import { DeliveryError, validationError } from '../../wire/delivery/errors.ts';
import { RouteTable } from '../../platform/http/route-table.ts';
import type { Caller } from '../../wire/caller.ts';
import { countKeys, type KeyRow, listKeys } from '../keys/key-store.ts';
import { listOf, mintKeyWithin, revokeKey } from '../keys/keys.ts';
import { deliveryShape } from '../../wire/delivery/caller.ts';
import { iso, isoOrNull } from '../../wire/delivery/times.ts';
import type { IdentityService } from '../service.ts';
import { addressOf } from '../agents/agent-details.ts';

type Spelling = (suffix: string) => string;

/** `/v1/keys` and `/v1/whoami`. */
export function keyRoutes(app: FastifyInstance, identity: IdentityService): void {
  const { config, clock, database, directory } = identity;
  const spellAgent = spellingWith(config.dlAgentIdPrefix);
  const table = new RouteTable(app, deliveryShape(identity));

  table.add(declared.createKey, async ({ caller: { ownerId }, body }) => {
    if (body.expires_at != null && body.expires_at <= clock.now()) {
      throw validationError([{ field: 'body.expires_at', message: 'must be in the future' }]);
    }
    const agent = body.agent == null ? undefined : await directory.resolveOwn(ownerId, body.agent);
    const { secret, key } = await database.write((tx) =>
      mintKeyWithin(identity, tx, ownerId, agent?.suffix ?? null, body),
    );
    const { id, ...shown } = shownKey(key, spellAgent);
    return { id, api_key: secret, ...shown };
  });

  table.add(declared.listKeys, async ({ caller: { ownerId }, query }) => {
    const [rows, total] = await Promise.all([
      listKeys(database.read, ownerId, query.limit, query.offset),
      countKeys(database.read, ownerId),
    ]);
    return {
      keys: rows.map((row) => ({ ...shownKey(row, spellAgent), last_used_at: isoOrNull(row.last_used_at) })),
      total,
      limit: query.limit,
      offset: query.offset,
    };
  });

  table.add(declared.revokeKey, async ({ caller, params }) => {
    if (!(await revokeKey(identity, caller.ownerId, params.id ?? '')))
      throw new DeliveryError('key_not_found');
  });

  table.add(declared.whoAmI, ({ caller }) => whoamiAnswer(caller, spellAgent));
  table.refuseOtherMethods();
}

function shownKey(key: KeyRow, spellAgent: Spelling) {
  return {
    id: key.id,
    prefix: key.prefix,
    label: key.label,
    agent: key.agent_suffix === null ? null : spellAgent(key.agent_suffix),
    scopes: listOf(key.scopes),
    read_namespaces: listOf(key.read_namespaces),
    write_namespaces: listOf(key.write_namespaces),
    expires_at: isoOrNull(key.expires_at),
    created_at: iso(key.created_at),
  };
}

function whoamiAnswer(caller: Caller, spellAgent: Spelling): object {
  const { agent, credential } = caller;
  return {
    owner: { id: caller.ownerId, slug: caller.ownerSlug },
    agent: agent
      ? {
          id: spellAgent(agent.suffix),
          slug: agent.slug,
          address: addressOf(agent, caller.ownerSlug),
          display_name: agent.name,
        }
      : null,
    peer_id: agent?.slug ?? SELF_SLUG,
    credential: {
      kind: credential.kind,
      id: credential.id,
      prefix: caller.keyPrefix,
      expires_at: isoOrNull(credential.expiresAt),
    },
    scopes: caller.scopes,
    read_namespaces: caller.readNamespaces,
    write_namespaces: caller.writeNamespaces,
  };
}
