import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { readPrivateFile, replacePrivateFile } from '@parley/sdk/channels/shell/private-files';
import { makeFolder } from '../private-folder.ts';
import { theOne } from '../the-one.ts';

const KEPT = 50;
const PREFIX = 'room_';

/** The rooms that were offered or taken here, newest first: for completion and for whose turn it is. No secret is among them. */
export function knownRooms(server: string): string[] {
  return read().flatMap((line) => {
    const [where, room] = line.split(' ');
    return where === server && room !== undefined ? [room] : [];
  });
}

/** The room that somebody means: of those known here the beginning is enough. */
export function roomMeant(said: string, server: string): string {
  const among = knownRooms(server);
  const beginning = said.startsWith(PREFIX) ? said : PREFIX + said;
  if (!among.some((room) => room.startsWith(beginning))) return said;
  return theOne(beginning, { noun: 'room', among, idOf: (room) => room });
}

export function rememberRoom(server: string, room: string): void {
  const line = `${server} ${room}`;
  const kept = [line, ...read().filter((each) => each !== line)].slice(0, KEPT);
  makeFolder(dirname(path()));
  replacePrivateFile(path(), `${kept.join('\n')}\n`);
}

function read(): string[] {
  try {
    return readPrivateFile(path())
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}

function path(): string {
  const state = process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  return join(state, 'parley', 'rooms.txt');
}
