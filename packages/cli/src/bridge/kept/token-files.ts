import { join } from 'node:path';
import { isFileId, jsonFilesIn, readJsonObject, removeFile, writePrivateJson } from './private-json.ts';

/** The runtime reads this file. */
export interface RoomToken {
  readonly room_id: string;
  readonly agent_id: string;
  readonly token: string;
  readonly expires_at: string;
  readonly scope: string;
  readonly updated_at: string;
}

export const TOKEN_SCOPE = 'room:automation';

/** One file for each room in which it may be the agent's turn. */
export class TokenFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  path(room: string): string {
    return join(this.#folder, `${room}.json`);
  }

  /** Undefined when there is none, or none that could be used. */
  read(room: string): RoomToken | undefined {
    const stored = readJsonObject(this.path(room));
    if (typeof stored?.['token'] !== 'string' || stored['room_id'] !== room) return undefined;
    const text = (key: string): string => (typeof stored[key] === 'string' ? stored[key] : '');
    return {
      room_id: room,
      agent_id: text('agent_id'),
      token: stored['token'],
      expires_at: text('expires_at'),
      scope: text('scope'),
      updated_at: text('updated_at'),
    };
  }

  write(token: RoomToken): void {
    writePrivateJson(this.path(token.room_id), token);
  }

  remove(room: string): void {
    removeFile(this.path(room));
  }

  rooms(): string[] {
    return jsonFilesIn(this.#folder)
      .map((name) => name.slice(0, -'.json'.length))
      .filter(isFileId);
  }
}

/** Milliseconds from `now` until it ends; none when it does not say. */
export function timeLeft({ expires_at: expires }: RoomToken, now: number): number {
  const at = Date.parse(expires);
  return Number.isNaN(at) ? 0 : at - now;
}
