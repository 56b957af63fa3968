import { consoleChannels } from '@parley/protocol/console/channel-routes';
import * as kept from '@parley/protocol/console/kept-routes';
import * as rooms from '@parley/protocol/console/room-routes';
import * as declared from '@parley/protocol/console/view-routes';
import * as webhooks from '@parley/protocol/console/webhook-routes';
import type { RouteTable } from '../../platform/http/route-table.ts';
import { activityOf } from '../activity.ts';
import { agentsOf, routeOf } from '../agents.ts';
import { channelsOf } from '../channels.ts';
import type { ConsoleContext } from '../create-module.ts';
import { comingOf, cuesOf, nextTimesOf } from '../cues.ts';
import { executionsOf } from '../executions.ts';
import { coordinationOf, memoryOf, scheduleOf } from '../kept.ts';
import { messagesOf, threadsOf } from '../messages.ts';
import { overviewOf } from '../overview.ts';
import { ownerBehind, ownersOf } from '../owners.ts';
import { roomOf, roomsOf } from '../rooms.ts';
import { searched } from '../search.ts';
import { type MaybePerson, personOf } from '../shape.ts';
import { trafficOf } from '../traffic.ts';
import { untakenOf, webhooksOf } from '../webhooks.ts';

/** What the views of the console show that no route of an owner does. */
export function viewRoutes(table: RouteTable<MaybePerson>, context: ConsoleContext): void {
  table.add(declared.consoleOverview, (call) => overviewOf(context, personOf(call)));
  table.add(declared.consoleTraffic, (call) => trafficOf(context, personOf(call).ownerId, call.query.window));
  table.add(declared.consoleSearch, (call) => searched(context, personOf(call), call.query.q));
  table.add(declared.consoleStream, (call) => {
    const { signInId, expiresAt } = personOf(call);
    const last = call.request.headers['last-event-id'];
    call.reply.hijack();
    const credential = { kind: 'console', id: signInId, expiresAt } as const;
    context.console.live.open(call.reply.raw, credential, typeof last === 'string' ? last : undefined);
    return call.reply;
  });
  table.add(declared.consoleOwners, (call) => ownersOf(context, personOf(call), call.query.q));
  table.add(declared.consoleOwnerOf, (call) => ownerBehind(context, personOf(call), call.params.id ?? ''));
  table.add(declared.consoleActivity, (call) => activityOf(context, personOf(call), call.query));
  table.add(declared.consoleAgents, (call) => agentsOf(context, personOf(call), call.query));
  table.add(declared.consoleAgentRoute, (call) => routeOf(context, personOf(call), call.params.ref ?? ''));
  table.add(declared.consoleMessages, (call) => messagesOf(context, personOf(call), call.query));
  table.add(declared.consoleThreads, (call) => threadsOf(context, personOf(call), call.query));
  table.add(declared.consoleExecutions, (call) => executionsOf(context, personOf(call), call.query));

  // Rooms are for people who own an agent in them, or the server; channels for those who run it.
  table.add(rooms.consoleRooms, (call) => roomsOf(context, personOf(call), call.query));
  table.add(rooms.consoleRoom, (call) => roomOf(context, personOf(call), call.params.id ?? ''));
  table.add(consoleChannels, () => channelsOf(context));

  // What agents keep, of one owner or of all that the person may see.
  table.add(kept.consoleMemory, (call) => memoryOf(context, personOf(call), call.query));
  table.add(kept.consoleSchedule, (call) => scheduleOf(context, personOf(call), call.query));
  table.add(kept.consoleCoordination, (call) => coordinationOf(context, personOf(call), call.query));
  table.add(kept.consoleCues, (call) => cuesOf(context, personOf(call), call.query));
  table.add(kept.consoleComing, (call) => comingOf(context, personOf(call), call.query));
  table.add(kept.consoleNextTimes, (call) => {
    personOf(call);
    return nextTimesOf(context, call.query);
  });

  table.add(webhooks.consoleWebhooks, (call) => webhooksOf(context, personOf(call), call.query.owner));
  table.add(webhooks.consoleWebhookUntaken, (call) =>
    untakenOf(context, personOf(call), call.params.id ?? ''),
  );
}
