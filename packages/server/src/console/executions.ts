import type { ExecutionsAnswer, ListedExecutionAnswer } from '@parley/protocol/console/view-routes';
import type { executionsQuery } from '@parley/protocol/console/view-schemas';
import type { z } from 'zod';
import type { ListedExecution } from '../delivery/overview/lately.ts';
import { iso, isoOrNull } from '../wire/delivery/times.ts';
import type { Person } from '../wire/person.ts';
import type { ConsoleContext } from './create-module.ts';
import { type Names, namesOf, pageAfter, placeOf, scopeOf, suffixOf } from './scope.ts';

export async function executionsOf(
  context: ConsoleContext,
  person: Person,
  { cursor, limit, owner, agent, ...filter }: z.output<typeof executionsQuery>,
): Promise<ExecutionsAnswer> {
  const ask = {
    ownerId: await scopeOf(context, person, owner),
    agent: await suffixOf(context, person, agent),
    id: filter.id,
    cue: filter.cue,
    status: filter.status,
    source: filter.source,
    after: placeOf(cursor),
    limit: limit + 1,
  };
  const { page, next } = pageAfter(await context.console.lately.executions(ask), limit);
  const agents = page.map((row) => row.agent);
  const owners = page.map((row) => row.owner_id);
  const names = await namesOf(context, agents, owners);
  return { executions: page.map((row) => listedExecution(row, names)), next };
}

const listedExecution = (row: ListedExecution, { addresses, slugs }: Names): ListedExecutionAnswer => ({
  id: row.id,
  owner: slugs.get(row.owner_id) ?? '',
  source: row.source,
  cue_id: row.cue_id,
  message_id: row.message_id,
  agent: row.agent === null ? null : (addresses.get(row.agent) ?? row.agent),
  task: row.task,
  status: row.status,
  outcome_state: row.outcome_state,
  triggered_by: row.triggered_by,
  attempts: row.attempts,
  claimed_by: row.claimed_by,
  lease_expires_at: isoOrNull(row.lease_expires_at),
  error: row.error_message,
  scheduled_for: iso(row.scheduled_for),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
