import type { PurgeReason, Room } from './room.ts';
import type { RoomSettings } from '../settings.ts';
import { turnDeadline } from './turns.ts';

/**
 * When a closed room's content goes.
 *
 *   purge when CLOSED and ( (no active viewer and the grace is over) or the retention cap is reached )
 *
 * The grace counts from the close with `purge_unread=grace`. With `cap` it counts from the later of the close and the last
 * time a person read the room; a room nobody ever read is kept until the cap, and so is one that somebody asked to keep.
 */
function graceEnds(room: Room, settings: RoomSettings): number | undefined {
  if (room.closedAt === null || room.keptAt !== null) return undefined;
  if (settings.purgeUnread === 'grace') return room.closedAt + settings.graceMs;
  if (room.lastReadAt === null) return undefined;
  return Math.max(room.closedAt, room.lastReadAt) + settings.graceMs;
}

/** `watchedUntil`: the last moment at which some viewer is still active. */
export function purgeReason(
  room: Room,
  watchedUntil: number | undefined,
  settings: RoomSettings,
  now: number,
): PurgeReason | undefined {
  if (room.closedAt === null) return undefined;
  const grace = graceEnds(room, settings);
  const watched = watchedUntil !== undefined && now <= watchedUntil;
  if (grace !== undefined && now >= grace && !watched) return 'grace_elapsed';
  return now >= room.closedAt + settings.retentionMs ? 'retention_cap_reached' : undefined;
}

/** The earliest time at which the content may go, as things stand. Null while the room is not closed, or is purged. */
export function purgeAfter(room: Room, settings: RoomSettings, watchedUntil?: number): number | null {
  if (room.state !== 'CLOSED' || room.closedAt === null) return null;
  const cap = room.closedAt + settings.retentionMs;
  const grace = graceEnds(room, settings);
  if (grace === undefined) return cap;
  return Math.min(cap, Math.max(grace, watchedUntil === undefined ? 0 : watchedUntil + 1));
}

/** When the clock may owe the room its next change. Viewers may put it off, never bring it forward. */
export function nextDue(room: Room, settings: RoomSettings, watchedUntil?: number): number | null {
  if (room.state === 'PURGED') return null;
  if (room.state === 'CLOSED') return purgeAfter(room, settings, watchedUntil);
  // Both times are the last moment that still counts.
  return Math.min(room.ttlAt, turnDeadline(room) ?? Number.POSITIVE_INFINITY) + 1;
}
