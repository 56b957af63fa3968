import * as routes from '@parley/protocol/rooms/routes';
import type { RoomsService } from '../service.ts';
import { agentOf, credentialOf, type RoomRouteTable } from './route-call.ts';
import { actionableRooms } from '../turn-wakes/actionable.ts';

/** What an agent asks about all its rooms. */
export function agentRoutes(table: RoomRouteTable, rooms: RoomsService): void {
  table.add(routes.agentStreamAck, async (call) => {
    const { delivery_id: id } = call.body;
    await rooms.deliveries.acknowledge(agentOf(call), id);
    return { delivery_id: id, status: 'acked' };
  });
  table.add(routes.agentActionableRooms, (call) => actionableRooms(rooms, agentOf(call), credentialOf(call)));
}
