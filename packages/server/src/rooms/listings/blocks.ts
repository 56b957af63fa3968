import { parseAgentId } from '@parley/protocol/identity/agent-id';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import { MAX_BLOCKED_AGENTS } from '@parley/protocol/rooms/limits';
import type { BlockAnswer, BlocksAnswer } from '@parley/protocol/rooms/types';
import type { RoomsService } from '../service.ts';
import { deleteBlock, findBlocks, insertBlock, type StoredBlock } from './block-store.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import { wireAgent } from '../room/room.ts';

/** Agents that may not take up an agent's listings. */
export async function blocksOf(rooms: RoomsService, agent: string): Promise<BlocksAnswer> {
  return { items: (await findBlocks(rooms.database.read, agent)).map(toAnswer) };
}

export async function addBlock(rooms: RoomsService, agent: string, other: string): Promise<BlockAnswer> {
  const blocked = parseAgentId(other);
  if (blocked === undefined || blocked === agent) {
    throw new RoomsError('invalid_request', "agent_id: must be another agent's id.");
  }
  return await rooms.database.write(async (tx) => {
    await tx.lock(`room-blocks:${agent}`);
    const blocks = await findBlocks(tx, agent);
    const known = blocks.find((block) => block.blocked === blocked);
    if (known) return toAnswer(known);
    if (blocks.length >= MAX_BLOCKED_AGENTS) {
      throw new RoomsError(
        'invalid_request',
        `agent_id: at most ${MAX_BLOCKED_AGENTS} agents can be blocked.`,
      );
    }
    const createdAt = rooms.clock.now();
    await insertBlock(tx, { agent, blocked, createdAt });
    return toAnswer({ blocked, createdAt });
  });
}

export async function removeBlock(rooms: RoomsService, agent: string, other: string): Promise<void> {
  const blocked = parseAgentId(other) ?? '';
  const removed = await rooms.database.write((tx) => deleteBlock(tx, agent, blocked));
  if (!removed) throw new RoomsError('not_found');
}

function toAnswer({ blocked, createdAt }: StoredBlock): BlockAnswer {
  return { agent_id: wireAgent(blocked), created_at: isoSeconds(createdAt) };
}
