import { planNamed } from '@parley/protocol/delivery/plans';
import { ALL_NAMESPACES, OWNER_KEY_SCOPES } from '@parley/protocol/identity/scopes';
import type { Caller, Credential } from '../../wire/caller.ts';
import type { OwnerRow } from './owner-store.ts';

/** Somebody who needs no key to speak for an owner: who that is, its credential says. */
export const callerForOwner = (
  { id, slug, plan }: Pick<OwnerRow, 'id' | 'slug' | 'plan'>,
  credential: Credential,
): Caller => ({
  ownerId: id,
  ownerSlug: slug,
  plan: planNamed(plan),
  agent: undefined,
  credential,
  keyId: credential.kind,
  keyPrefix: credential.kind,
  scopes: OWNER_KEY_SCOPES,
  readNamespaces: ALL_NAMESPACES,
  writeNamespaces: ALL_NAMESPACES,
});
