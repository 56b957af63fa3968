import type { LiveClaim, LiveClaimAnswer } from '@parley/protocol/delivery/types';
import type { MessagingContext } from '../messaging-context.ts';
import { iso } from '../../wire/delivery/times.ts';
import { hashSecret } from '../../platform/auth/secrets.ts';
import type { Tx } from '../../platform/database/database.ts';
import { checkToken, type TokenVerdict } from '../sessions/attestation.ts';
import { lockSessions, noteClaim } from '../sessions/session-store.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { takes } from '../records/execution-states.ts';
import { answerLiveClaim, labelOfHolder, liveHolder } from '../records/live-window.ts';
import type { AttachedSession } from '../routing/recipient.ts';
import { traceStep } from '../routing/trace.ts';
import type { ExecutionPatch, ExecutionRow } from '../records/execution-row.ts';
import { attestedFor } from '../records/execution-store.ts';
import { changeExecution, type Journey, moveExecution, ownJourney, targetOf } from './journeys.ts';
import { offerState } from './live-offers.ts';
import { advanceMessage } from '../records/message-moves.ts';
import { beginLease, watchLease } from './leases.ts';

type Attestation = Extract<TokenVerdict, { readonly valid: true }> & {
  readonly tokenHash: string;
  readonly sessionId: string | null;
};

/** Where a session proves that it is one, and takes what it was offered. */
export async function claimLive(
  context: MessagingContext,
  ownerId: string,
  id: string,
  claim: LiveClaim,
): Promise<LiveClaimAnswer> {
  const { database, recipients } = context;
  return await database.write(async (tx) => {
    const target = await attestedFor(tx, ownerId, id);
    if (target === undefined) throw new DeliveryError('execution_not_found');
    if (claim.exec_id != null && claim.exec_id !== id) throw new DeliveryError('exec_id_mismatch');
    // In the order of a detach: first the sessions, then what they were offered.
    if (target !== null) await lockSessions(tx, target);
    const journey = await ownJourney(tx, ownerId, id);
    const { cue_id: cueId, task } = journey.execution;
    const sessions =
      target === null
        ? await recipients.sessionsForCue(tx, ownerId, { cueId, task })
        : await recipients.sessions(tx, target);
    return await answerClaim(context, tx, journey, sessions, claim);
  });
}

async function answerClaim(
  context: MessagingContext,
  tx: Tx,
  journey: Journey,
  sessions: readonly AttachedSession[],
  claim: LiveClaim,
): Promise<LiveClaimAnswer> {
  const { settings } = context;
  const { execution } = journey;
  const verdict = checkToken(settings.liveAttestation, sessions, {
    executionId: execution.id,
    token: claim.session_token,
    taskName: claim.task_name ?? null,
    proof: claim.proof ?? null,
    offeredTask: execution.channel === 'live' ? execution.task : null,
  });
  const tokenHash = hashSecret(claim.session_token);
  const answer = answerLiveClaim(offerState(execution), tokenHash, verdict);
  if (answer.kind === 'refused') throw new DeliveryError(answer.code);
  if (answer.kind === 'not_attested') {
    return shown(execution.id, false, { reason: answer.reason });
  }
  if (answer.kind === 'repeat') {
    const label =
      labelOfHolder(execution.claimed_by) ??
      sessions.find((session) => session.tokenHash === tokenHash)?.label ??
      null;
    const attestation = execution.live_attestation;
    return shown(execution.id, true, { live_claimed_at: iso(answer.at), label, attestation });
  }
  // Without a channel nobody was offered it yet.
  if (!verdict.valid || closedByRecipient(execution) || execution.channel === null)
    throw new DeliveryError('live_claim_window_closed');
  const { label, kind } = verdict;
  const sessionId = sessions.find((session) => session.label === label)?.id ?? null;
  const at = await attest(context, tx, journey, { ...verdict, tokenHash, sessionId }, answer.takes);
  return shown(execution.id, true, { live_claimed_at: iso(at), label, attestation: kind });
}

async function attest(
  context: MessagingContext,
  tx: Tx,
  journey: Journey,
  attestation: Attestation,
  unheld: boolean,
): Promise<number> {
  const { clock, recipients } = context;
  const { execution, message } = journey;
  const now = clock.now();
  const { label, kind, tokenHash, sessionId } = attestation;
  // Its parent may have had it in the background.
  const agent = targetOf(journey);
  const claims = unheld && takes(execution.status, 'live_claimed');
  const patch: ExecutionPatch = {
    live_claimed_at: now,
    live_token_hash: tokenHash,
    live_attestation: kind,
    route: 'live',
    channel: 'live',
    agent,
    held: 0,
    ...(claims && beginLease(context, execution, liveHolder(label))),
  };
  const steps = [traceStep(now, 'live_claim', claims ? 'claimed' : 'attested', kind)];
  const changed = claims
    ? await moveExecution(context, tx, execution, 'live_claimed', patch, steps)
    : await changeExecution(context, tx, execution, patch, steps);
  if (sessionId !== null) await noteClaim(tx, sessionId, now);
  if (agent !== null) tx.afterCommit(() => recipients.seen(agent));
  if (!claims) return now;
  await watchLease(context, tx, changed);
  if (message) await advanceMessage(context, tx, message, 'claimed');
  return now;
}

/** Whoever fetched, read or acked the message has it; the work is not to be done twice. */
const closedByRecipient = ({ status, channel }: ExecutionRow): boolean =>
  status === 'success' && channel === 'inbox';

const UNPROVEN = { live_claimed_at: null, label: null, reason: null, attestation: null };

const shown = (
  executionId: string,
  attested: boolean,
  facts: Partial<Omit<LiveClaimAnswer, 'attested' | 'execution_id'>>,
): LiveClaimAnswer => ({ attested, execution_id: executionId, ...UNPROVEN, ...facts });
