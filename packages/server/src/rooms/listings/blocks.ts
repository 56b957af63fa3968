import { parseAgentId } from '@parley/protocol/identity/agent-id';
import { MAX_BLOCKED_AGENTS } from '@parley/protocol/rooms/limits';
import type { BlockAnswer, BlocksAnswer } from '@parley/protocol/rooms/types';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { deleteBlock, findBlocks, insertBlock, type StoredBlock } from './block-store.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import { wireAgent } from '../room/room.ts';
import { isoSeconds } from '../../wire/rooms/times.ts';

/** Agents that may not take up an agent's listings. */
export class Blocks {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async list(agent: string): Promise<BlocksAnswer> {
    return { items: (await findBlocks(this.#database.read, agent)).map(toAnswer) };
  }

  async add(agent: string, other: string): Promise<BlockAnswer> {
    const blocked = parseAgentId(other);
    if (blocked === undefined || blocked === agent) {
      throw new RoomsError('invalid_request', "agent_id: must be another agent's id.");
    }
    return await this.#database.write(async (tx) => {
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
      const createdAt = this.#clock.now();
      await insertBlock(tx, agent, blocked, createdAt);
      return toAnswer({ blocked, createdAt });
    });
  }

  async remove(agent: string, other: string): Promise<void> {
    const blocked = parseAgentId(other) ?? '';
    const removed = await this.#database.write((tx) => deleteBlock(tx, agent, blocked));
    if (!removed) throw new RoomsError('not_found');
  }
}

function toAnswer({ blocked, createdAt }: StoredBlock): BlockAnswer {
  return { agent_id: wireAgent(blocked), created_at: isoSeconds(createdAt) };
}
