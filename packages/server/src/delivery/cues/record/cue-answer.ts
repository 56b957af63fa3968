import type { CueAnswer } from '@parley/protocol/delivery/types';
import { iso, isoOrNull } from '../../../wire/delivery/times.ts';
import type { CueContext } from '../cue-context.ts';
import {
  alertsOf,
  callbackOf,
  type CueRow,
  deliveryOf,
  onFailureOf,
  payloadOf,
  requiredKeysOf,
  retryOf,
  verificationOf,
} from './cue-row.ts';

/** Cues as their owner sees them. */
export async function cueAnswers(
  { recipients, settings, database }: CueContext,
  cues: readonly CueRow[],
  warning: string | null = null,
): Promise<CueAnswer[]> {
  const agents = [...new Set(cues.flatMap(({ agent }) => agent ?? []))];
  const addresses =
    agents.length === 0 ? new Map<string, string>() : await recipients.addresses(database.read, agents);
  return cues.map((cue) => ({
    id: cue.id,
    name: cue.name,
    description: cue.description,
    status: cue.status,
    schedule: {
      type: cue.schedule_type,
      ...(cue.cron !== null && { cron: cue.cron }),
      ...(cue.at !== null && { at: iso(cue.at) }),
      timezone: cue.timezone,
    },
    transport: cue.transport,
    callback: callbackOf(cue),
    agent: cue.agent === null ? null : (addresses.get(cue.agent) ?? settings.spellAgent(cue.agent)),
    agent_id: cue.agent === null ? null : settings.spellAgent(cue.agent),
    delivery_mode: cue.delivery_mode,
    live_fallback_mode: cue.live_fallback_mode,
    payload: payloadOf(cue),
    retry: retryOf(cue),
    on_failure: onFailureOf(cue),
    verification: verificationOf(cue),
    delivery: deliveryOf(cue),
    alerts: alertsOf(cue),
    catch_up: cue.catch_up,
    on_success_fire: cue.on_success_fire,
    require_payload_override: cue.require_payload_override === 1,
    required_payload_keys: requiredKeysOf(cue),
    ...extras(cue),
    next_run: isoOrNull(cue.next_run),
    last_run: isoOrNull(cue.last_run),
    run_count: cue.run_count,
    fired_count: cue.fired_count,
    warning,
    created_at: iso(cue.created_at),
    updated_at: iso(cue.updated_at),
  }));
}

/** What other servers of this protocol do not know is shown where it is used. */
function extras({ overlap, jitter_seconds: jitter, attach, skipped_count: skipped }: CueRow) {
  return {
    ...(overlap !== 'allow' && { overlap, skipped_count: skipped }),
    ...(jitter > 0 && { jitter_seconds: jitter }),
    ...(attach !== null && { attach }),
  };
}
