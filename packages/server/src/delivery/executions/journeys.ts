import { isExecutionId } from '@parley/protocol/delivery/ids';
import type { MessagingContext } from '../messaging-context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { type ExecutionEvent, isOffered, nextExecutionStatus } from '../records/execution-states.ts';
import type { MessageRow } from '../records/message-row.ts';
import { lockMessage } from '../records/message-store.ts';
import type { TraceStep } from '../routing/trace.ts';
import { topics } from '../records/wakes.ts';
import type { ExecutionPatch, ExecutionRow } from '../records/execution-row.ts';
import {
  lockExecution,
  messageBehind,
  messageBehindAny,
  patchExecution,
} from '../records/execution-store.ts';

/** An execution about to change, with the message it carries. */
export interface Journey {
  readonly execution: ExecutionRow;
  /** Undefined for a cue, and for a message that has set out anew since. */
  readonly message: MessageRow | undefined;
}

/**
 * Reads an execution for a change. From the read to the commit nobody else changes it, so that a rule may look at the row,
 * decide, and write: exactly one of several that race finds the row as it needs it. Undefined when there is none, or
 * another owner's.
 */
export async function lockOwnJourney(tx: Tx, ownerId: string, id: string): Promise<Journey | undefined> {
  return await lockBoth(tx, id, await messageBehind(tx, ownerId, id));
}

/** The same of one that there has to be. */
export async function ownJourney(tx: Tx, ownerId: string, id: string): Promise<Journey> {
  const journey = isExecutionId(id) ? await lockOwnJourney(tx, ownerId, id) : undefined;
  if (!journey) throw new DeliveryError('execution_not_found');
  return journey;
}

/** For the server's own work. */
export async function lockJourney(tx: Tx, id: string): Promise<Journey | undefined> {
  return await lockBoth(tx, id, await messageBehindAny(tx, id));
}

/** The same from the message's side. */
export async function lockJourneyOf(
  tx: Tx,
  id: string,
): Promise<(Journey & { readonly message: MessageRow }) | undefined> {
  const message = await lockMessage(tx, id);
  if (!message) return undefined;
  const execution = await lockExecution(tx, message.execution_id);
  return execution && { execution, message };
}

/**
 * Moves an execution on, to where the table says. Whoever calls has asked before whether its status takes the event: a
 * move that is in no row is a mistake of ours, and is not written.
 */
export async function moveExecution(
  context: MessagingContext,
  tx: Tx,
  execution: ExecutionRow,
  event: ExecutionEvent,
  patch: ExecutionPatch = {},
  steps: readonly TraceStep[] = [],
): Promise<ExecutionRow> {
  const status = nextExecutionStatus(execution.status, event);
  if (status === undefined) throw new Error(`an execution that is ${execution.status} takes no ${event}`);
  return await writeExecution(context, tx, execution, { ...patch, status }, steps);
}

/** The agent it is for, whoever takes it in its stead; null for work of nobody in particular. */
export const targetOf = ({ execution, message }: Journey): string | null =>
  message?.recipient ?? execution.target ?? execution.agent;

/** What leaves the status as it is. */
export function changeExecution(
  context: MessagingContext,
  tx: Tx,
  execution: ExecutionRow,
  patch: ExecutionPatch,
  steps: readonly TraceStep[] = [],
): Promise<ExecutionRow> {
  return writeExecution(context, tx, execution, patch, steps);
}

/** Writes a change and its line in the trace, and wakes whoever waits for this execution. */
async function writeExecution(
  context: MessagingContext,
  tx: Tx,
  execution: ExecutionRow,
  patch: ExecutionPatch & Partial<Pick<ExecutionRow, 'status'>>,
  steps: readonly TraceStep[],
): Promise<ExecutionRow> {
  const updated = { ...patch, updated_at: context.clock.now() };
  const written = steps.length === 0 ? updated : { ...updated, trace: extended(execution.trace, steps) };
  await patchExecution(tx, execution.id, written);
  context.wakes.after(tx, topics.execution(execution.id));
  const after = { ...execution, ...written };
  withdrawOffer(context, tx, execution, after);
  await context.ends.changed(tx, { before: execution, after });
  return after;
}

/** The session that is asked to take it, while nobody has. */
const offeredTo = (execution: Offered): string | null => (isOffered(execution) ? execution.session_id : null);

type Offered = Pick<ExecutionRow, 'session_id' | 'channel' | 'status'>;

/** Tells a session whose offer is no longer its own. */
export function withdrawOffer({ wakes }: MessagingContext, tx: Tx, before: Offered, after?: Offered): void {
  const session = offeredTo(before);
  if (session !== null && (!after || offeredTo(after) !== session)) wakes.offersChanged(tx, session);
}

async function lockBoth(
  tx: Tx,
  id: string,
  messageId: string | null | undefined,
): Promise<Journey | undefined> {
  if (messageId === undefined) return undefined;
  const message = messageId === null ? undefined : await lockMessage(tx, messageId);
  const execution = await lockExecution(tx, id);
  if (!execution) return undefined;
  return { execution, message: message?.execution_id === id ? message : undefined };
}

export const readTrace = (text: string): TraceStep[] => JSON.parse(text) as TraceStep[];

const extended = (text: string, steps: readonly TraceStep[]): string =>
  JSON.stringify([...readTrace(text), ...steps]);
