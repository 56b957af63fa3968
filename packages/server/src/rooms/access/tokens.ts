import { ROOM_TOKEN_MS, ROOM_TOKEN_SCOPE } from '@parley/protocol/rooms/limits';
import type { RoomTokenAnswer } from '@parley/protocol/rooms/types';
import { ROOM_TOKEN_PREFIX } from '@parley/protocol/rooms/secrets';
import type { Credential } from '../../wire/caller.ts';
import { hashSecret } from '../../platform/auth/secrets.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import type { Random } from '../../platform/ids.ts';
import { newSecret } from '../ids.ts';
import { mustBeOpen, mustTakePart, type CurrentRooms } from '../room/current-rooms.ts';
import { wireAgent } from '../room/room.ts';
import { isoSeconds } from '../../wire/rooms/times.ts';
import { findToken, putToken, type RoomTokenRow } from './token-store.ts';

export interface RoomTokensOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly currentRooms: CurrentRooms;
}

interface Minting {
  readonly roomId: string;
  readonly agent: string;
  readonly minter: Credential;
}

interface MintedToken {
  readonly token: string;
  readonly expiresAt: number;
}

/**
 * Narrow credentials: one agent, one room, five minutes. An agent has at most one alive for a room, and it outlives neither
 * the room nor the key or session that minted it.
 */
export class RoomTokens {
  readonly #options: RoomTokensOptions;

  constructor(options: RoomTokensOptions) {
    this.#options = options;
  }

  async mint(roomId: string, agent: string, minter: Credential): Promise<RoomTokenAnswer> {
    const { token, expiresAt } = await this.#options.currentRooms.change(roomId, async (tx, room, now) => {
      mustTakePart(room, agent);
      mustBeOpen(room);
      return await this.put(tx, { roomId, agent, minter }, now);
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
  async put(tx: Tx, { roomId, agent, minter }: Minting, now: number): Promise<MintedToken> {
    const token = newSecret(this.#options.random, ROOM_TOKEN_PREFIX);
    const expiresAt = now + ROOM_TOKEN_MS;
    const credential = { credentialKind: minter.kind, credentialId: minter.id };
    await putToken(tx, { roomId, agent, hash: hashSecret(token), expiresAt, ...credential });
    return { token, expiresAt };
  }

  /** Whose token it is; undefined when it is unknown, expired or revoked. */
  find(token: string): Promise<RoomTokenRow | undefined> {
    const { database, clock } = this.#options;
    return findToken(database.read, hashSecret(token), clock.now());
  }
}
