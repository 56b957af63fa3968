import type { OwnerOfAnswer, OwnersAnswer } from '@parley/protocol/console/view-routes';
import { DeliveryError } from '../wire/delivery/errors.ts';
import type { Person } from '../wire/person.ts';
import type { ConsoleContext } from './create-module.ts';

const MOST_OWNERS = 200;

/** Whose objects a person may look at: their own, or of an operator's all those whose name begins so. */
export async function ownersOf(
  { identity }: ConsoleContext,
  { ownerId }: Person,
  text = '',
): Promise<OwnersAnswer> {
  if (ownerId !== undefined)
    return { owners: [{ id: ownerId, slug: await identity.ownerSlug(ownerId) }], more: false };
  const found =
    text === ''
      ? await identity.oldestOwners(MOST_OWNERS + 1)
      : await identity.ownersStartingWith(text.toLowerCase(), MOST_OWNERS + 1);
  return { owners: found.slice(0, MOST_OWNERS), more: found.length > MOST_OWNERS };
}

/** Whose an object is for the person. */
export async function ownerBehind(
  { identity, console }: ConsoleContext,
  { ownerId }: Person,
  id: string,
): Promise<OwnerOfAnswer> {
  const found = await console.lately.ownerOf(id);
  if (!found || (ownerId !== undefined && found.owner !== ownerId && found.other !== ownerId))
    throw new DeliveryError('not_found');
  return { owner: await identity.ownerSlug(ownerId ?? found.owner) };
}
