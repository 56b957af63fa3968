import * as routes from '@parley/protocol/rooms/routes';
import type { ServerResponse } from 'node:http';
import { bareResponse } from '../../platform/http/bare-response.ts';
import { firstValue } from '../../platform/http/first-value.ts';
import { bearerToken } from '../../platform/auth/bearer.ts';
import { RoomsError, unauthorized } from '../../wire/rooms/errors.ts';
import { agentOf, credentialOf, idOf, type RoomCall, type RoomRouteTable } from '../routes/route-call.ts';
import { openAgentStream, resumeStatus } from './agent-streams.ts';
import type { RoomsStreams } from './create-streams.ts';
import { admitListener, openRoomStream } from './room-streams.ts';

/** Server-sent events. Whatever refuses a caller does so as an ordinary answer, before the stream begins. */
export function streamRoutes(table: RoomRouteTable, { rooms, agents, viewers }: RoomsStreams): void {
  table.add(routes.roomEvents, async (call) => {
    const listener = {
      roomId: idOf(call),
      agent: agentOf(call),
      credential: credentialOf(call),
      since: call.query.since ?? lastEvent(call),
    };
    await admitListener(rooms, listener);
    return stream(call, (response) => openRoomStream(rooms, listener, response));
  });

  table.add(routes.agentStream, async (call) => {
    const listener = {
      agent: agentOf(call),
      credential: credentialOf(call),
      cursor: call.query.last_delivery_id ?? lastEventId(call),
      rooms: call.query.rooms,
      include: call.query.include,
    };
    const status = await resumeStatus(agents, listener);
    return stream(call, (response) => openAgentStream(agents, listener, status, response));
  });

  table.add(routes.roomViewerEvents, async (call) => {
    const token = bearerToken(call.request.headers.authorization);
    if (token === undefined) throw unauthorized();
    const withMessages = call.query.include.includes('messages');
    const messagesSince = withMessages ? (call.query.since ?? lastEvent(call)) : undefined;
    const viewer = { roomId: idOf(call), token, address: call.request.clientAddress, messagesSince };
    await viewers.admit(viewer);
    return stream(call, (response) => viewers.open(viewer, response));
  });
}

/** From here on the response belongs to the stream. Opening may still refuse, as long as it has written nothing. */
async function stream(
  { request, reply }: RoomCall,
  open: (response: ServerResponse) => Promise<void>,
): Promise<unknown> {
  if (request.method === 'HEAD') return reply.type('text/event-stream').send();
  await open(bareResponse(reply));
  return reply.hijack();
}

function lastEventId({ request }: RoomCall): string | undefined {
  return firstValue(request.headers['last-event-id'])?.trim() || undefined;
}

function lastEvent(call: RoomCall): number {
  const text = lastEventId(call) ?? '0';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new RoomsError('invalid_request', 'Last-Event-ID: must be a whole number from 0.');
}
