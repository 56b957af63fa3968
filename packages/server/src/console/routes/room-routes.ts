import { consoleChannels } from '@parley/protocol/console/channel-routes';
import * as declared from '@parley/protocol/console/room-routes';
import type { RouteTable } from '../../platform/http/route-table.ts';
import { channelsOf } from '../channels.ts';
import type { ConsoleContext } from '../create-module.ts';
import { roomOf, roomsOf } from '../rooms.ts';
import { type MaybePerson, personOf } from '../shape.ts';

/** Rooms for people who own an agent in them, or the server; channels for those who run it. */
export function roomViewRoutes(table: RouteTable<MaybePerson>, context: ConsoleContext): void {
  table.add(declared.consoleRooms, (call) => roomsOf(context, personOf(call), call.query));
  table.add(declared.consoleRoom, (call) => roomOf(context, personOf(call), call.params.id ?? ''));
  table.add(consoleChannels, () => channelsOf(context));
}
