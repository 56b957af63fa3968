import type { JsonObject } from '@parley/protocol/json';
import type { Clock } from '@parley/sdk/channels/clock';
import type { Transport } from '@parley/sdk/channels/transport';
import { callServer, Refusal, type ServerRequest } from '../server-call.ts';
import type { Session } from '../session.ts';
import { type RoomToken, timeLeft, TOKEN_SCOPE, type TokenFiles } from './token-files.ts';

export interface RoomTokensOptions {
  readonly files: TokenFiles;
  readonly session: Session;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly thresholdMs: number;
}

/** The narrow credentials of rooms. Minting one revokes the one before, so its file is written before anything else. */
export class RoomTokens {
  readonly files: TokenFiles;
  readonly #options: RoomTokensOptions;
  readonly #minting = new Map<string, Promise<RoomToken>>();

  constructor(options: RoomTokensOptions) {
    this.files = options.files;
    this.#options = options;
  }

  /** One that lasts a while: that of the file, or a new one. */
  async usable(room: string): Promise<RoomToken> {
    const kept = this.files.read(room);
    return kept && !this.isEnding(kept) ? kept : await this.mint(room);
  }

  isEnding(token: RoomToken): boolean {
    const { clock, thresholdMs } = this.#options;
    return timeLeft(token, clock.now()) <= thresholdMs;
  }

  /** Two at a time for one room would revoke each other. */
  mint(room: string): Promise<RoomToken> {
    const minting = this.#minting.get(room) ?? this.#mint(room).finally(() => this.#minting.delete(room));
    this.#minting.set(room, minting);
    return minting;
  }

  /** Keeps one that came with an answer of the server. */
  keep(room: string, answer: JsonObject): RoomToken {
    const { session, clock } = this.#options;
    const { token, agent_id: agent, expires_at: expires, scope } = answer;
    if (typeof token !== 'string' || token === '') throw new Error('the server gave no room token');
    const kept: RoomToken = {
      room_id: room,
      agent_id: typeof agent === 'string' ? agent : session.agentId,
      token,
      expires_at: typeof expires === 'string' ? expires : '',
      scope: typeof scope === 'string' ? scope : TOKEN_SCOPE,
      updated_at: new Date(clock.now()).toISOString(),
    };
    this.files.write(kept);
    return kept;
  }

  /** A call within a room by its token; once more with a new one when it is refused. */
  async call(room: string, request: Omit<ServerRequest, 'token'>): Promise<JsonObject> {
    const { transport } = this.#options;
    const { token } = this.files.read(room) ?? (await this.mint(room));
    try {
      return await callServer(transport, { ...request, token });
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 401) throw error;
      const renewed = await this.mint(room);
      return await callServer(transport, { ...request, token: renewed.token });
    }
  }

  async #mint(room: string): Promise<RoomToken> {
    const path = `/v1/rooms/${room}/access-token`;
    return this.keep(room, await this.#options.session.call({ method: 'POST', path }));
  }
}
