import { VIEWER_TIMEOUT_MS } from '@parley/protocol/rooms/limits';
import type { ViewersAnswer } from '@parley/protocol/rooms/types';
import { VIEWER_PREFIX } from '@parley/protocol/rooms/secrets';
import { hashSecret } from '../../platform/auth/secrets.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import type { Random } from '../../platform/ids.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import type { CodeAttempt, HumanCodes } from './human-code.ts';
import { newSecret } from '../ids.ts';
import { mustHaveLeft, type RoomLimiters, spend } from '../limiters.ts';
import type { CurrentRooms } from '../room/current-rooms.ts';
import type { Room } from '../room/room.ts';
import {
  countActiveViewers,
  findViewer,
  insertViewer,
  saveBeat,
  saveLeft,
  type StoredViewer,
} from './viewer-store.ts';

export interface ViewersOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly codes: HumanCodes;
  readonly currentRooms: CurrentRooms;
  readonly limiters: RoomLimiters;
}

/** Given with a viewer token, as with a human code: from where, so that guessing can be slowed down. */
export interface TokenAttempt {
  readonly token: string;
  readonly address: string;
}

/**
 * Human readers.
 *
 * | viewer          | heartbeat   | leave                |
 * |-----------------|-------------|----------------------|
 * | active          | 200         | 200, has left        |
 * | silent for 45 s | 404         | 200, has left        |
 * | has left        | 410         | 200, nothing changes |
 * | unknown         | 404         | 404                  |
 */
export class Viewers {
  readonly #options: ViewersOptions;

  constructor(options: ViewersOptions) {
    this.#options = options;
  }

  async join(roomId: string, attempt: CodeAttempt): Promise<ViewersAnswer> {
    const { codes, random } = this.#options;
    const token = newSecret(random, VIEWER_PREFIX);
    const active = await codes.reading(roomId, attempt, async (tx, _room, now) => {
      await insertViewer(tx, roomId, hashSecret(token), now);
      return await countActiveViewers(tx, roomId, now);
    });
    return { viewer_token: token, active_viewers: active };
  }

  async heartbeat(roomId: string, attempt: TokenAttempt): Promise<ViewersAnswer> {
    const { token } = attempt;
    return await this.#asViewer(roomId, attempt, async (tx, room, viewer, now) => {
      mustBeActive(viewer, now);
      await saveBeat(tx, hashSecret(token), now);
      await this.#options.codes.noteReading(tx, room, now);
    });
  }

  async leave(roomId: string, attempt: TokenAttempt): Promise<ViewersAnswer> {
    const { token } = attempt;
    return await this.#asViewer(roomId, attempt, async (tx, room, viewer, now) => {
      if (viewer.leftAt !== null) return;
      await saveLeft(tx, hashSecret(token), now);
      if (isActive(viewer, now)) await this.#options.codes.noteReading(tx, room, now);
    });
  }

  /** For a stream that opens. */
  async admit(roomId: string, { token, address }: TokenAttempt): Promise<void> {
    await this.#counted(roomId, address, () => this.mustBeWatching(roomId, token));
  }

  /** For a stream that opens, and again while it is open: throws when the viewer may not watch (any more). */
  async mustBeWatching(roomId: string, token: string): Promise<void> {
    const { database, clock } = this.#options;
    mustBeActive(viewerOf(roomId, await findViewer(database.read, hashSecret(token))), clock.now());
  }

  active(roomId: string): Promise<number> {
    const { database, clock } = this.#options;
    return countActiveViewers(database.read, roomId, clock.now());
  }

  async #asViewer(
    roomId: string,
    { token, address }: TokenAttempt,
    fn: (tx: Tx, room: Room, viewer: StoredViewer, now: number) => Promise<void>,
  ): Promise<ViewersAnswer> {
    const change = (): Promise<number> =>
      this.#options.currentRooms.change(roomId, async (tx, room, now) => {
        const viewer = viewerOf(roomId, await findViewer(tx, hashSecret(token)));
        await fn(tx, room, viewer, now);
        return await countActiveViewers(tx, roomId, now);
      });
    return { active_viewers: await this.#counted(roomId, address, change) };
  }

  /** Tokens that nobody was given count by room and address, beside wrong codes and with the same limit. */
  async #counted<T>(roomId: string, address: string, work: () => Promise<T>): Promise<T> {
    const { wrongCodes } = this.#options.limiters;
    const place = `viewer ${roomId} ${address}`;
    await mustHaveLeft(wrongCodes, place);
    return await work().catch(async (error: unknown) => {
      if (error instanceof UnknownViewer) await spend(wrongCodes, place);
      throw error;
    });
  }
}

class UnknownViewer extends RoomsError {
  constructor() {
    super('viewer_not_found');
  }
}

function viewerOf(roomId: string, viewer: StoredViewer | undefined): StoredViewer {
  if (viewer?.roomId !== roomId) throw new UnknownViewer();
  return viewer;
}

function isActive({ beatAt, leftAt }: StoredViewer, now: number): boolean {
  return leftAt === null && now - beatAt <= VIEWER_TIMEOUT_MS;
}

function mustBeActive(viewer: StoredViewer, now: number): void {
  if (viewer.leftAt !== null) throw new RoomsError('gone', 'You have left; join again with the human code.');
  if (!isActive(viewer, now)) throw new RoomsError('viewer_not_found');
}
