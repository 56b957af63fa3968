import { ROOM_TOKEN_MS, ROOM_TOKEN_SCOPE } from '@parley/protocol/rooms/limits';
import type { RoomTokenAnswer } from '@parley/protocol/rooms/types';
import { hashSecret } from '../platform/auth/secrets.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/database/database.ts';
import type { Random } from '../platform/ids.ts';
import { newSecret } from './ids.ts';
import { mustBeOpen, mustTakePart, type RoomDesk } from './room-desk.ts';
import { wireAgent } from './room.ts';
import { isoSeconds } from './times.ts';
import { findToken, putToken, type RoomTokenRow } from './token-store.ts';

export const ROOM_TOKEN_PREFIX = 'rat_';

export interface RoomTokensOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly desk: RoomDesk;
}

/** Narrow credentials: one agent, one room, five minutes. An agent has at most one alive for a room. */
export class RoomTokens {
  readonly #options: RoomTokensOptions;

  constructor(options: RoomTokensOptions) {
    this.#options = options;
  }

  async mint(roomId: string, agent: string): Promise<RoomTokenAnswer> {
    const { token, expiresAt } = await this.#options.desk.change(roomId, async (tx, room, now) => {
      mustTakePart(room, agent);
      mustBeOpen(room);
      return await this.put(tx, { roomId, agent }, now);
    });
    return {
      room_id: roomId,
      agent_id: wireAgent(agent),
      token,
      scope: ROOM_TOKEN_SCOPE,
      expires_at: isoSeconds(expiresAt),
    };
  }

  /** The caller holds the room's lock and has checked that a token may be given. */
  async put(tx: Tx, owner: RoomTokenRow, now: number): Promise<{ token: string; expiresAt: number }> {
    const token = newSecret(this.#options.random, 'rat');
    const expiresAt = now + ROOM_TOKEN_MS;
    await putToken(tx, owner, hashSecret(token), expiresAt);
    return { token, expiresAt };
  }

  /** Whose token it is; undefined when it is unknown, expired or revoked. */
  find(token: string): Promise<RoomTokenRow | undefined> {
    const { database, clock } = this.#options;
    return findToken(database.read, hashSecret(token), clock.now());
  }
}
