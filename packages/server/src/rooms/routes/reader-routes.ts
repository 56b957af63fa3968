import * as extensions from '@parley/protocol/rooms/extension-routes';
import * as routes from '@parley/protocol/rooms/routes';
import { RoomsError } from '../../wire/rooms/errors.ts';
import type { RoomsService } from '../service.ts';
import { agentOf, idOf, type RoomRouteTable } from './route-call.ts';

/** What people do: read with the human code, and be seen reading. */
export function readerRoutes(table: RoomRouteTable, { codes, transcripts, viewers }: RoomsService): void {
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
      ? await viewers.heartbeat(idOf(call), token)
      : await viewers.leave(idOf(call), token);
  });

  table.add(extensions.roomHumanCode, (call) => codes.replace(idOf(call), agentOf(call)));
}
