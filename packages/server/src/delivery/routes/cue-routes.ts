import * as declared from '@parley/protocol/delivery/cue-routes';
import { requireConfirmation } from '../../wire/delivery/caller.ts';
import type { Caller } from '../../wire/caller.ts';
import { iso } from '../../wire/delivery/times.ts';
import type { Params, RouteTable } from '../../platform/http/route-table.ts';
import { backfill } from '../cues/firing/backfill.ts';
import { changeCue } from '../cues/input/changing.ts';
import type { Cues } from '../cues/create-cues.ts';
import { createCue } from '../cues/input/creating.ts';
import { cueAnswers } from '../cues/record/cue-answer.ts';
import { listCues, ownCue, removeCue, removeCues } from '../cues/cues.ts';
import { fireByHand } from '../cues/firing/manual-fire.ts';
import { runsOf } from '../cues/runs/run-store.ts';
import { comingTimes } from '../overview/coming.ts';
import { localTime } from '../cues/schedule/zone.ts';
import { begunAnswer, executionAnswers } from '../executions/execution-answers.ts';

/** Cues: made, looked at, changed, fired and deleted. */
export function cueRoutes(table: RouteTable<Caller>, cues: Cues): void {
  const own = (caller: Caller, params: Params) => ownCue(cues, caller, params.id ?? '');

  table.add(declared.cueCreate, async ({ caller, body, reply }) => {
    const { cue, warning } = await createCue(cues, caller, body);
    const [answer] = await cueAnswers(cues, [cue], warning);
    return reply.code(declared.cueCreate.success).send(answer);
  });

  table.add(declared.cueList, async ({ caller, query }) => {
    const { cues: rows, total } = await listCues(cues, caller, query);
    return { cues: await cueAnswers(cues, rows), total, limit: query.limit, offset: query.offset };
  });

  table.add(declared.cueBulkDelete, async ({ caller, body, request }) => {
    requireConfirmation(request);
    return await removeCues(cues, caller, body.ids);
  });

  table.add(declared.cueRead, async ({ caller, params, query }) => {
    const cue = await own(caller, params);
    const { execution_limit: limit, execution_offset: offset } = query;
    const runs = await runsOf(cues.database.read, cue.id, { limit, offset });
    const [[answer], executions] = await Promise.all([
      cueAnswers(cues, [cue]),
      executionAnswers(cues, cues.database.read, runs),
    ]);
    return {
      ...answer,
      executions,
      execution_total: cue.executions,
      execution_limit: limit,
      execution_offset: offset,
    };
  });

  table.add(declared.cueUpdate, async ({ caller, params, body }) => {
    const { id } = await own(caller, params);
    const { cue, warning } = await changeCue(cues, caller, id, body);
    return (await cueAnswers(cues, [cue], warning))[0];
  });

  table.add(declared.cueDelete, async ({ caller, params, reply }) => {
    const { id } = await own(caller, params);
    await removeCue(cues, caller.ownerId, id);
    return reply.code(declared.cueDelete.success).send();
  });

  table.add(declared.cueFire, async ({ caller, params, body }) => {
    const execution = await fireByHand(cues, await own(caller, params), body);
    return {
      ...begunAnswer(execution),
      effective_delivery_mode: execution.channel,
      delivery_route: execution.route,
    };
  });

  table.add(declared.cueNext, async ({ caller, params, query }) => {
    const cue = await own(caller, params);
    const runs = comingTimes(cue, query.count).map(({ at, local }) => ({ at: iso(at), local }));
    return { cue_id: cue.id, timezone: cue.timezone, runs };
  });

  table.add(declared.cueBackfill, async ({ caller, params, body }) => {
    const cue = await own(caller, params);
    const runs = await backfill(cues, cue, body);
    return {
      cue_id: cue.id,
      timezone: cue.timezone,
      dry_run: body.dry_run,
      runs: runs.map(({ at, executionId, existed }) => ({
        at: iso(at),
        local: localTime(cue.timezone, at),
        execution_id: executionId,
        existed,
      })),
    };
  });
}
