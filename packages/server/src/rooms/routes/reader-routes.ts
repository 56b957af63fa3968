import * as extensions from '@parley/protocol/rooms/extension-routes';
import * as routes from '@parley/protocol/rooms/routes';
import { RoomsError } from '../../wire/rooms/errors.ts';
import type { RoomsService } from '../service.ts';
import { agentOf, idOf, type RoomRouteTable } from './route-call.ts';
import { readWithCode, replaceCode } from '../viewers/human-code.ts';
import { keep, keepAsOwner } from '../viewers/keeping.ts';
import { readTranscript } from '../viewers/transcript.ts';
import { joinViewers, leaveViewers, viewerBeat } from '../viewers/viewers.ts';

/** What people do: read with the human code, and be seen reading. */
export function readerRoutes(table: RoomRouteTable, rooms: RoomsService): void {
  table.add(routes.roomTranscript, (call) => {
    const { human_code: code, include } = call.body;
    const attempt = { code, address: call.request.clientAddress };
    return readTranscript(rooms, idOf(call), attempt, include?.includes('room') ?? false);
  });

  table.add(routes.roomViewers, async (call) => {
    const { op, human_code: code, viewer_token: token } = call.body;
    if (op === 'join') {
      const attempt = { code: code ?? '', address: call.request.clientAddress };
      return call.reply.code(201).send(await joinViewers(rooms, idOf(call), attempt));
    }
    if (!token) throw new RoomsError('invalid_request', 'viewer_token: is required.');
    const attempt = { token, address: call.request.clientAddress };
    return await (op === 'heartbeat' ? viewerBeat : leaveViewers)(rooms, idOf(call), attempt);
  });

  table.add(extensions.roomKeep, (call) => {
    const { human_code: code } = call.body;
    return code
      ? readWithCode(rooms, idOf(call), { code, address: call.request.clientAddress }, keep)
      : keepAsOwner(rooms, idOf(call), agentOf(call));
  });

  table.add(extensions.roomHumanCode, (call) => replaceCode(rooms, idOf(call), agentOf(call)));
}
