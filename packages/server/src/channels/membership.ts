import { nameSkeletons } from '@parley/protocol/channels/confusables';
import { KEY_FP_MAX_DIGITS, KEY_FP_MIN_DIGITS, RECLAIM_AFTER_MS } from '@parley/protocol/channels/limits';
import { isValidName } from '@parley/protocol/channels/names';
import { type Channel, type Member, memberBy } from './channel.ts';
import { ChannelError } from './errors.ts';
import type { JoinInput } from './store.ts';

const KEY_FP = new RegExp(`^[0-9a-f]{${KEY_FP_MIN_DIGITS},${KEY_FP_MAX_DIGITS}}$`, 'i');

export type Entry =
  | { kind: 'resumed'; member: Member; participantId: string }
  | { kind: 'new'; member: Pick<Member, 'name' | 'skeletons' | 'keyFp'>; replaces: Member | undefined };

/**
 * May this caller come in, and as whom? Order of checks: name, resumed identity, full, name taken. A sleeping
 * channel has no members, so it is empty here as it will be once awake.
 */
export function enter(
  channel: Channel,
  { name, keyFp, resume }: Omit<JoinInput, 'token'>,
  { now, maxParticipants }: { now: number; maxParticipants: number },
): Entry {
  if (!isValidName(name)) throw new ChannelError('invalid_name');
  const resumed = memberBy(channel, resume);
  if (resumed && typeof resume === 'string')
    return { kind: 'resumed', member: resumed, participantId: resume };

  const fingerprint = fingerprintOf(keyFp);
  const skeletons = nameSkeletons(name);
  const holder = [...channel.members.values()].find((member) => alike(member, skeletons));
  const replaces = holder && reclaimable(holder, name, fingerprint, now) ? holder : undefined;
  if (!replaces && channel.members.size >= maxParticipants) throw new ChannelError('channel_full');
  if (holder && !replaces) throw new ChannelError('name_taken');
  return { kind: 'new', member: { name, skeletons, keyFp: fingerprint }, replaces };
}

/** Anything that is no fingerprint is dropped without an error. */
export function fingerprintOf(keyFp: unknown): string | null {
  return typeof keyFp === 'string' && KEY_FP.test(keyFp) ? keyFp.toLowerCase() : null;
}

function reclaimable(holder: Member, name: string, fingerprint: string | null, now: number): boolean {
  const unseen = holder.listeners === 0 && now - holder.lastSeen >= RECLAIM_AFTER_MS;
  return unseen && holder.name === name && fingerprint !== null && holder.keyFp === fingerprint;
}

function alike({ skeletons: [letters, shapes] }: Member, other: Member['skeletons']): boolean {
  return letters === other[0] || shapes === other[1];
}
