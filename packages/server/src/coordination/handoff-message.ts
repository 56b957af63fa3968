import type { Handoff } from '@parley/protocol/coordination/artifacts';
import { MAX_SUBJECT } from '@parley/protocol/delivery/limits';
import { cut } from '../continuity/answers.ts';
import { columnText } from '../continuity/artifacts/artifact.ts';
import type { Tx } from '../platform/database/database.ts';
import type { AgentRef } from '../wire/caller.ts';
import type { CoordinationContext } from './coordination-context.ts';

/** Tells the recipient, where that is an agent. What the capsule says stays in the handoff. */
export async function handoffMessage(
  { directory, mail }: CoordinationContext,
  tx: Tx,
  sender: AgentRef,
  handoff: Handoff,
): Promise<string | undefined> {
  const [recipient] = await directory.withSlugs(tx, sender.ownerId, [handoff.recipient_peer]);
  if (!recipient) return undefined;
  const { subject_kind: kind, subject_id: subjectId } = handoff.source_selector;
  const about = columnText(`${kind} ${subjectId}`);
  const how = `GET /v1/coordination/handoff/${handoff.handoff_id}, then POST …/consume`;
  return await mail.post(tx, {
    from: sender,
    to: recipient.suffix,
    origin: 'agent',
    subject: cut(`Handoff from ${handoff.sender_peer}: ${about}`, MAX_SUBJECT),
    body: columnText(`${handoff.note ?? `${handoff.sender_peer} hands over ${about}.`}\n\n${how}`),
    metadata: {
      kind: 'handoff',
      handoff_id: handoff.handoff_id,
      sender_peer: handoff.sender_peer,
      subject_kind: kind,
      subject_id: subjectId,
      task_id: handoff.task_id,
      thread_id: handoff.thread_id,
    },
  });
}
