import { MAX_IDEMPOTENCY_KEY_CHARS } from '@parley/protocol/rooms/limits';
import * as routes from '@parley/protocol/rooms/routes';
import { firstValue } from '../../platform/http/first-value.ts';
import { notSupported, RoomsError } from '../../wire/rooms/errors.ts';
import type { RoomsService } from '../service.ts';
import {
  agentOf,
  credentialOf,
  idOf,
  type RoomCall,
  type RoomRouteTable,
  sendUnlessKnown,
} from './route-call.ts';
import { acknowledgeContext, joinRoom, readContext } from '../conversation/context.ts';
import { readHistory } from '../conversation/history.ts';
import { startTyping, stopTyping } from '../conversation/typing-calls.ts';
import { sendInRoom } from '../conversation/messages.ts';
import { mintToken } from '../access/tokens.ts';
import { closeRoom, roomState } from '../room/room-state.ts';

/** What agents do in a room: look, read, speak, end it. */
export function conversationRoutes(table: RoomRouteTable, rooms: RoomsService): void {
  table.add(routes.roomJoin, (call) => joinRoom(rooms, idOf(call), agentOf(call)));
  table.add(routes.roomState, async (call) =>
    sendUnlessKnown(call, await roomState(rooms, idOf(call), agentOf(call))),
  );
  table.add(routes.roomContext, async (call) =>
    sendUnlessKnown(call, await readContext(rooms, idOf(call), agentOf(call))),
  );
  table.add(routes.roomContextAck, (call) =>
    acknowledgeContext(rooms, idOf(call), agentOf(call), call.body.turn_index),
  );
  table.add(routes.roomMessages, (call) =>
    sendInRoom(rooms, {
      ...call.body,
      roomId: idOf(call),
      agent: agentOf(call),
      idempotencyKey: idempotencyKey(call),
    }),
  );
  table.add(routes.roomClose, (call) => closeRoom(rooms, idOf(call), agentOf(call)));
  table.add(routes.roomAccessToken, (call) =>
    mintToken(rooms, idOf(call), agentOf(call), credentialOf(call)),
  );
  table.add(routes.roomTyping, (call) => {
    const { state, ttl_ms: ttlMs } = call.body;
    return state === 'start'
      ? startTyping(rooms, idOf(call), agentOf(call), ttlMs)
      : stopTyping(rooms, idOf(call), agentOf(call));
  });
  table.add(routes.roomEventsHistory, (call) =>
    readHistory(rooms, idOf(call), agentOf(call), call.query.since ?? 0, call.query.limit),
  );
  table.add(routes.roomLeave, () => {
    throw notSupported(routes.roomLeave.path, routes.roomLeave.unsupported?.hint ?? '');
  });
}

function idempotencyKey({ request }: RoomCall): string | undefined {
  const key = firstValue(request.headers['idempotency-key'])?.trim();
  if (!key) return undefined;
  if (key.length > MAX_IDEMPOTENCY_KEY_CHARS) {
    throw new RoomsError(
      'invalid_request',
      `Idempotency-Key: may have at most ${MAX_IDEMPOTENCY_KEY_CHARS} characters.`,
    );
  }
  return key;
}
