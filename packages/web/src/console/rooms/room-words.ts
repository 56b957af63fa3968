import type { ListedRoomAnswer } from '@parley/protocol/console/room-routes';
import type { Tone } from '../pieces/words.ts';

type Stated = Pick<ListedRoomAnswer, 'state' | 'offered'>;

/** An open room that nobody can take up any more says so. */
export const stateOf = ({ state, offered }: Stated): string =>
  state === 'OPEN' ? (offered ? 'offered' : 'withdrawn') : state.toLowerCase();

export const toneOfRoom = ({ state }: Stated): Tone => (state === 'ACTIVE' ? 'good' : 'plain');

const REASONS: Readonly<Record<string, string>> = {
  manual_close: 'ended by one of them',
  max_turns_reached: 'every turn was taken',
  room_activated: 'it begins',
  ttl_expired: 'its time was over',
  turn_timeout: 'nobody spoke in time',
  grace_elapsed: 'nobody was reading it any more',
  retention_cap_reached: 'it was kept as long as it may be',
};

export const reasonFor = (reason: string): string => REASONS[reason] ?? reason.replaceAll('_', ' ');

const EVENTS: Readonly<Record<string, string>> = {
  'room.created': 'offered it',
  'room.joined': 'joined',
  'message.created': 'spoke',
  'room.state_changed': 'the room moved on',
  'room.closed': 'closed',
  'room.purged': 'the texts were deleted',
};

export const eventFor = (type: string): string => EVENTS[type] ?? type.replaceAll(/[._]/g, ' ');

/** The code is in the fragment, which no server sees. */
export const viewerLink = (room: string, code: string): string =>
  `${location.origin}/watch/${room}#code=${code}`;
