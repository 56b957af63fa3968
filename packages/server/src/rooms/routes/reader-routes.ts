import * as extensions from '@parley/protocol/rooms/extension-routes';
import * as routes from '@parley/protocol/rooms/routes';
import { RoomsError } from '../../wire/rooms/errors.ts';
import type { RoomsService } from '../service.ts';
import { agentOf, idOf, type RoomRouteTable } from './route-call.ts';

/** What people do: read with the human code, and be seen reading. */
export function readerRoutes(table: RoomRouteTable, rooms: RoomsService): void {
  const { codes, keeping, transcripts, viewers } = rooms;

  table.add(routes.roomTranscript, (call) => {
    const { human_code: code, include } = call.body;
    const attempt = { code, address: call.request.clientAddress };
    return include?.includes('room')
      ? transcripts.readWithRoom(idOf(call), attempt)
      : transcripts.read(idOf(call), attempt);
  });

  table.add(routes.roomViewers, async (call) => {
    const { op, human_code: code, viewer_token: token } = call.body;
    if (op === 'join') {
      const attempt = { code: code ?? '', address: call.request.clientAddress };
      return call.reply.code(201).send(await viewers.join(idOf(call), attempt));
    }
    if (!token) throw new RoomsError('invalid_request', 'viewer_token: is required.');
    return op === 'heartbeat'
      ? await viewers.heartbeat(idOf(call), { token, address: call.request.clientAddress })
      : await viewers.leave(idOf(call), { token, address: call.request.clientAddress });
  });

  table.add(extensions.roomKeep, (call) => {
    const { human_code: code } = call.body;
    return code
      ? keeping.byReader(idOf(call), { code, address: call.request.clientAddress })
      : keeping.byOwner(idOf(call), agentOf(call));
  });

  table.add(extensions.roomHumanCode, (call) => codes.replace(idOf(call), agentOf(call)));
}
