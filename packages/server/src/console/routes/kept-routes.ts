import * as declared from '@parley/protocol/console/kept-routes';
import type { RouteTable } from '../../platform/http/route-table.ts';
import type { ConsoleContext } from '../create-module.ts';
import { comingOf, cuesOf, nextTimesOf } from '../cues.ts';
import { coordinationOf, memoryOf, scheduleOf } from '../kept.ts';
import { type MaybePerson, personOf } from '../shape.ts';

/** What agents keep, of one owner or of all that the person may see. */
export function keptRoutes(table: RouteTable<MaybePerson>, context: ConsoleContext): void {
  table.add(declared.consoleMemory, (call) => memoryOf(context, personOf(call), call.query));
  table.add(declared.consoleSchedule, (call) => scheduleOf(context, personOf(call), call.query));
  table.add(declared.consoleCoordination, (call) => coordinationOf(context, personOf(call), call.query));
  table.add(declared.consoleCues, (call) => cuesOf(context, personOf(call), call.query));
  table.add(declared.consoleComing, (call) => comingOf(context, personOf(call), call.query));
  table.add(declared.consoleNextTimes, (call) => {
    personOf(call);
    return nextTimesOf(context, call.query);
  });
}
