import type { LineTone } from '../shared/conversation/message-element.ts';
import type { RoomAgent, RoomMessage, ShownRoom } from './shown-room.ts';
import { closingInWords } from './words.ts';

export type Entry =
  | { readonly kind: 'message'; readonly key: string; readonly at: number; readonly message: RoomMessage }
  | {
      readonly kind: 'line';
      readonly key: string;
      readonly at: number;
      readonly text: string;
      readonly tone: LineTone;
    };

/**
 * What happened in a room, in order. An entry has the same key whether it was read in the transcript or heard on the
 * stream, so reading again after a break adds what was missed and nothing twice.
 */
export function timeline(shown: ShownRoom, nameOf: (agentId: string) => string): Entry[] {
  const entries: Entry[] = shown.agents.map((agent, place) => arrival(agent, place, nameOf(agent.id)));
  entries.push(...shown.messages.map(spoken));
  if (shown.closedAt !== 0) entries.push(closing(shown.closedAt, shown.closeReason));
  // Sorting keeps the order of equals: those who came in the second of a message came before it.
  entries.sort((one, other) => one.at - other.at);
  return entries;
}

export function spoken(message: RoomMessage): Entry {
  return { kind: 'message', key: `turn ${message.turn}`, at: message.at, message };
}

export function closing(at: number, reason: string): Entry {
  return line('closed', at, closingInWords(reason));
}

export function passedOn(eventId: number, at: number, name: string): Entry {
  return line(`passed on ${eventId}`, at, `${name} did not speak in time, so the turn passed on`);
}

function arrival(agent: RoomAgent, place: number, name: string): Entry {
  return line(`joined ${agent.id}`, agent.joinedAt, `${name} ${place === 0 ? 'opened the room' : 'joined'}`);
}

function line(key: string, at: number, text: string): Entry {
  return { kind: 'line', key, at, text, tone: 'soft' };
}
