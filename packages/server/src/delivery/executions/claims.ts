import { isExecutionId } from '@parley/protocol/delivery/ids';
import type { ClaimableQuery } from '@parley/protocol/delivery/types';
import type { MessagingContext } from '../messaging-context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { mayClaim } from '../records/live-window.ts';
import { traceStep } from '../routing/trace.ts';
import { isFilled, topics } from '../records/wakes.ts';
import { type ClaimableFilter, listClaimable } from './claimable-store.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import { lockOwnJourney, moveExecution } from './journeys.ts';
import { offerState } from './live-offers.ts';
import { advanceMessage } from '../records/message-moves.ts';
import { beginLease, watchLease } from './leases.ts';

/** How often a worker looks again when others took all it saw. */
const ROUNDS = 20;
/** How many of the oldest are tried when several workers reach for the same one. */
const REACH = 20;

/** What can be claimed now, with `only` not what is another agent's; holds while that is nothing. */
export async function claimableNow(
  context: MessagingContext,
  ownerId: string,
  query: ClaimableQuery,
  only: string | undefined,
  signal: AbortSignal,
): Promise<readonly ExecutionRow[]> {
  const { database, wakes } = context;
  const filter = await filterOf(context, ownerId, { ...query, only });
  const look = () => listClaimable(database.read, ownerId, filter);
  const topic = topics.claimable(ownerId, query.task ?? null);
  return await wakes.hold({ topic, waitMs: (query.wait ?? 0) * 1000, signal, look, isDone: isFilled });
}

export async function claimExecution(
  context: MessagingContext,
  ownerId: string,
  id: string,
  worker: string,
): Promise<ExecutionRow> {
  const { database } = context;
  const claimed = isExecutionId(id)
    ? await database.write((tx) => tryClaim(context, tx, ownerId, id, worker))
    : undefined;
  if (!claimed) throw new DeliveryError('claim_failed');
  return claimed;
}

/** The oldest that is left, never a live offer. */
export async function claimNext(
  context: MessagingContext,
  ownerId: string,
  worker: string,
  { task, agent, only }: { task?: string | null; agent?: string | null; only: string | undefined },
): Promise<ExecutionRow> {
  const { database } = context;
  const query = { task: task ?? undefined, agent: agent ?? undefined, mode: 'bg', limit: REACH } as const;
  const filter = await filterOf(context, ownerId, { ...query, only });
  for (let round = 0; round < ROUNDS; round++) {
    const candidates = await listClaimable(database.read, ownerId, filter);
    if (candidates.length === 0) throw new DeliveryError('claim_failed', 'there is nothing to claim');
    for (const { id } of candidates) {
      const claimed = await database.write((tx) => tryClaim(context, tx, ownerId, id, worker));
      if (claimed) return claimed;
    }
  }
  throw new DeliveryError('claim_failed', 'others were faster; try again');
}

/** The same with the agent it names. */
async function filterOf(
  { directory }: MessagingContext,
  ownerId: string,
  query: ClaimableFilter,
): Promise<ClaimableFilter> {
  if (query.agent === undefined) return query;
  const { suffix } = await directory.resolveOwn(ownerId, query.agent);
  return { ...query, agent: suffix };
}

async function tryClaim(
  context: MessagingContext,
  tx: Tx,
  ownerId: string,
  id: string,
  worker: string,
): Promise<ExecutionRow | undefined> {
  const journey = await lockOwnJourney(tx, ownerId, id);
  if (!journey || !isClaimable(journey.execution)) return undefined;
  const { execution, message } = journey;
  const { recipients, clock } = context;
  const live = execution.channel === 'live';
  // Nobody has proved yet that a live session is behind this worker.
  const route = live ? ({ route: 'live_unverified' } as const) : {};
  const patch = { ...beginLease(context, execution, worker), ...route };
  const step = traceStep(clock.now(), 'claim', 'claimed', live ? 'not_attested' : null);
  const claimed = await moveExecution(context, tx, execution, 'claimed', patch, [step]);
  await watchLease(context, tx, claimed);
  if (message) await advanceMessage(context, tx, message, 'claimed');
  const { agent } = execution;
  if (agent !== null) tx.afterCommit(() => recipients.seen(agent));
  return claimed;
}

/** What the list could show. */
function isClaimable(execution: ExecutionRow): boolean {
  const { channel, held } = execution;
  const offered = (channel === 'live' || channel === 'bg') && held === 0;
  return offered && mayClaim(offerState(execution));
}
