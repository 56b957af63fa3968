import type { MessageCreate } from '@parley/protocol/delivery/types';
import type { MessagingContext } from '../../messaging-context.ts';
import { iso } from '../../../wire/delivery/times.ts';
import type { Tx } from '../../../platform/database/database.ts';
import { DeliveryError } from '../../../wire/delivery/errors.ts';
import { guardLoop, isStatusUpdate, type LoopVerdict, NEW_THREAD, newPair } from './loop-guard.ts';
import { type TraceStep, traceStep } from '../../routing/trace.ts';
import {
  lastExecution,
  markPairTripped,
  markThreadTripped,
  readPair,
  readThread,
  resetPairsOf,
  threadMember,
  writePair,
  writeThread,
} from './loop-guard-store.ts';
import type { MessageRow } from '../../records/message-row.ts';
import { changeExecution, lockJourney } from '../../executions/journeys.ts';

/** What the guard looks at. */
export interface GuardedSend {
  readonly message: MessageRow;
  readonly said: Pick<MessageCreate, 'expects_reply' | 'metadata'>;
  readonly parent: Pick<MessageRow, 'sender' | 'metadata' | 'execution_id'> | undefined;
}

type Tripped = Exclude<LoopVerdict, { kind: 'passes' }>;

/** Undoes the write it is thrown in; whoever sends turns it into the answer. */
export class LoopTripped extends Error {
  override readonly name = 'LoopTripped';
  readonly verdict: Tripped;

  constructor(verdict: Tripped) {
    super('the loop guard tripped');
    this.verdict = verdict;
  }
}

/** In the transaction that stores the message. Throws `LoopTripped`. */
export async function passLoopGuard(
  context: MessagingContext,
  tx: Tx,
  send: GuardedSend,
): Promise<TraceStep> {
  const { settings, clock } = context;
  const now = clock.now();
  const { parent } = send;
  const { sender, recipient, thread_id: threadId, origin } = send.message;
  const thread = parent && (await readThread(tx, threadId));
  const pair = await readPair(tx, sender, recipient);
  const counts = {
    thread: thread ?? (parent ? { hops: 0, lastSender: parent.sender } : NEW_THREAD),
    pair: pair ?? newPair(now),
  };
  const exempt = isExempt(send);
  const verdict = guardLoop(settings.loop, counts, { sender, origin, exempt, now });
  if (verdict.kind === 'tripped') throw new LoopTripped(verdict);
  const { thread: nextThread, pair: nextPair } = verdict.counts;
  if (parent && !exempt) await writeThread(tx, threadId, nextThread, now);
  const turned = nextPair.turns !== counts.pair.turns || nextPair.lastSender !== counts.pair.lastSender;
  if (turned) await writePair(tx, sender, recipient, nextPair);
  if (origin !== 'agent') await resetPairsOf(tx, recipient);
  const reason = exempt ? 'status_update' : `hop ${nextThread.hops} of ${settings.loop.maxHops}`;
  return traceStep(now, 'loop_guard', 'passed', reason);
}

/** A schedule somebody made starts the agent: whoever it talks with may go on. In the transaction of the fire. */
export async function cueFired(context: MessagingContext, tx: Tx, agent: string): Promise<TraceStep> {
  await resetPairsOf(tx, agent);
  return traceStep(context.clock.now(), 'loop_guard', 'reset', 'cue');
}

/** Shows the refusal on the last message that got through, and says how to go on. */
export async function refuseLoop(
  context: MessagingContext,
  { message, parent }: GuardedSend,
  { verdict }: LoopTripped,
): Promise<DeliveryError> {
  const { database, clock } = context;
  const { sender, recipient, thread_id: threadId } = message;
  const reason = `${verdict.by} ${verdict.count} of ${verdict.limit}`;
  await database.write(async (tx) => {
    const now = clock.now();
    const first =
      verdict.by === 'thread_hops'
        ? await markThreadTripped(tx, threadId, now)
        : await markPairTripped(tx, sender, recipient, now);
    if (!first) return;
    const last = parent?.execution_id ?? (await lastExecution(tx, recipient, sender));
    const journey = last === undefined ? undefined : await lockJourney(tx, last);
    const step = traceStep(now, 'loop_guard', 'tripped', reason);
    if (journey) await changeExecution(context, tx, journey.execution, {}, [step]);
  });
  return new DeliveryError('loop_guard_tripped', `${HOW_TO_GO_ON[verdict.by]} (${reason})`, {
    extra: {
      by: verdict.by,
      current: verdict.count,
      limit: verdict.limit,
      thread_id: threadId,
      ...(verdict.by === 'pair_turns' && { until: iso(verdict.until) }),
    },
  });
}

/** A person lets a thread go on. */
export async function resumeThread(
  context: MessagingContext,
  ownerId: string,
  threadId: string,
): Promise<void> {
  const { database, clock } = context;
  await database.write(async (tx) => {
    const member = await threadMember(tx, ownerId, threadId);
    if (!member) throw new DeliveryError('message_not_found');
    const now = clock.now();
    const thread = await readThread(tx, threadId);
    await writeThread(tx, threadId, { hops: 0, lastSender: thread?.lastSender ?? member.sender }, now);
    const pair = (await readPair(tx, member.sender, member.recipient)) ?? newPair(now);
    await writePair(tx, member.sender, member.recipient, { ...pair, turns: 0, windowStartedAt: now });
  });
}

const HOW_TO_GO_ON = {
  thread_hops:
    'these agents answer each other with nobody in between; a person may write in the thread or POST /v1/threads/{id}/resume',
  pair_turns:
    'these agents answer each other with nobody in between; a person may write to one of them or resume their thread',
} as const;

function isExempt({ said, parent }: GuardedSend): boolean {
  const { metadata, expects_reply: expectsReply } = said;
  const answered = parent && (JSON.parse(parent.metadata) as Record<string, unknown>);
  return isStatusUpdate({ metadata, expectsReply, answersStatus: answered?.kind === 'status' });
}
