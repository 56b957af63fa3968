import type { Reader } from '../../platform/database/database.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import { blockedUntil, countRefusals, forgetRefusals, insertRefusal, saveBlock } from './policy-store.ts';
import type { RoomsService } from '../service.ts';

const REFUSED = [
  'action:',
  'tool:',
  'exec:',
  'run_shell',
  '<tool_call',
  'rm -rf',
  'sudo ',
  '/etc/passwd',
  'begin private key',
  '169.254.169.254',
  'kubectl delete',
  'drop table',
  'shutdown -h',
  'reboot',
] as const;

const REFUSALS_TO_BLOCK = 3;
const REFUSAL_WINDOW_MS = 5 * 60_000;
const BLOCK_MS = 15 * 60_000;

/** Thrown inside the send; the send is undone and the refusal is counted after that. */
export class PolicyRefusal extends RoomsError {
  constructor() {
    super('policy_blocked');
  }
}

/** The content policy: off, or a list of texts that look like tool calls and dangerous commands. */
export async function refuseBlocked(
  { settings, clock }: RoomsService,
  reader: Reader,
  agent: string,
): Promise<void> {
  if (settings.policy === 'off') return;
  const until = await blockedUntil(reader, agent);
  if (until === undefined || clock.now() >= until) return;
  const minutes = Math.ceil((until - clock.now()) / 60_000);
  throw new RoomsError(
    'policy_blocked',
    `Sending is blocked for ${minutes} more minutes after repeated refusals by policy.`,
  );
}

export function refuseText({ settings }: RoomsService, text: string): void {
  if (settings.policy === 'off') return;
  const lower = text.toLowerCase();
  if (REFUSED.some((refused) => lower.includes(refused))) throw new PolicyRefusal();
}

/** A write of its own: counted together with the refused send it would be undone together with it. */
export async function countRefusal(
  { database, clock, telemetry }: RoomsService,
  agent: string,
): Promise<void> {
  await database.write(async (tx) => {
    await tx.lock(`room-policy:${agent}`);
    const now = clock.now();
    await forgetRefusals(tx, agent, now - REFUSAL_WINDOW_MS);
    await insertRefusal(tx, agent, now);
    const refusals = await countRefusals(tx, agent, now - REFUSAL_WINDOW_MS);
    if (refusals >= REFUSALS_TO_BLOCK) {
      await saveBlock(tx, agent, now + BLOCK_MS);
      await forgetRefusals(tx, agent, now);
    }
    tx.afterCommit(() => telemetry.policyRefusal());
  });
}
