import { budgetText } from '../../config/budgets.ts';
import { RoomsError, unauthorized } from '../../wire/rooms/errors.ts';
import type { Change, RoomsService } from '../service.ts';
import { addTextBytes } from './text-byte-store.ts';

/** What a message or a listing takes up beside its text: its row, its events and wake-ups, and their indexes. */
const OVERHEAD_BYTES = 1024;

/** Asked before the write begins. Whoever was let in has an account, unless the agent is deleted in this moment. */
export async function mustHaveOwner({ identity }: RoomsService, agent: string): Promise<string> {
  const ownerId = await identity.directory.ownerIdOf(agent);
  if (ownerId === undefined) throw unauthorized();
  return ownerId;
}

/** What is written in a room counts for the account of who wrote it, until the room is purged. */
export async function countText(
  { rooms, tx }: Change,
  { roomId, ownerId, text }: { roomId: string; ownerId: string; text: string },
): Promise<void> {
  const { storedBytes } = rooms.identity;
  const bytes = Buffer.byteLength(text) + OVERHEAD_BYTES;
  const current = await storedBytes.take(tx, ownerId, bytes);
  if (current !== undefined) {
    throw new RoomsError(
      'quota_exceeded',
      `${budgetText(storedBytes.budget, current)}; a closed room goes by itself.`,
    );
  }
  await addTextBytes(tx, roomId, ownerId, bytes);
}
