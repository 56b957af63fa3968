import { keepNewest } from '../../platform/newest.ts';
import type { Room } from '../room/room.ts';

interface Known {
  readonly basis: string;
  readonly hash: string;
}

const MOST = 20_000;

/**
 * Bundle hashes that were worked out lately: an agent fetches its prompt and then names its hash, and there is no need
 * to build the whole prompt twice. The bundle is a pure function of what `basisOf` tells apart.
 */
export class KnownHashes {
  /** Least recently added first. */
  readonly #known = new Map<string, Known>();

  find(room: Room, agent: string): string | undefined {
    const known = this.#known.get(keyOf(room, agent));
    return known?.basis === basisOf(room) ? known.hash : undefined;
  }

  add(room: Room, agent: string, hash: string): void {
    keepNewest(this.#known, keyOf(room, agent), { basis: basisOf(room), hash }, MOST);
  }
}

function keyOf({ id }: Room, agent: string): string {
  return `${id} ${agent}`;
}

/** Topic, limits and the messages before a turn never change; these do. */
function basisOf({ turnIndex, state, participants, closedAt }: Room): string {
  return `${turnIndex} ${state} ${participants.length} ${closedAt ?? ''}`;
}
