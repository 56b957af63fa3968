import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { LiveSessionAnswer } from '@parley/protocol/delivery/types';
import type { SecretBox } from '../../platform/auth/secret-box.ts';
import { iso, isoOrNull } from '../../wire/delivery/times.ts';
import { ageMs, isFresh, latestBeat } from '../routing/freshness.ts';
import type { AttachedSession } from '../routing/recipient.ts';
import type { DeliverySettings } from '../settings.ts';
import type { SessionRow } from './session-store.ts';

export type SessionView = ReturnType<typeof createSessionView>;

/** Reads rows as sessions: with the latest beat by any way, and the token opened. */
export const createSessionView = (settings: DeliverySettings, secrets: SecretBox) => ({
  beatAt(row: SessionRow, now: number): number {
    return latestBeat(now, row.beat_at, fileBeatAt(settings, row.agent, row.label)) ?? row.beat_at;
  },

  attached(row: SessionRow, now: number): AttachedSession {
    return {
      id: row.id,
      label: row.label,
      taskName: row.task_name,
      cueId: row.cue_id,
      isDefault: row.is_default === 1,
      beatAt: this.beatAt(row, now),
      tokenHash: row.session_token_hash,
      attestationKey: row.attestation_key,
    };
  },

  isFresh(row: SessionRow, now: number): boolean {
    return row.detached_at === null && isFresh(this.beatAt(row, now), now, settings.heartbeatThresholdMs);
  },

  answer(row: SessionRow, now: number): LiveSessionAnswer {
    const attached = row.detached_at === null;
    const lastClaim = row.last_claim_at;
    return {
      label: row.label,
      cue_id: row.cue_id,
      task_name: row.task_name,
      is_default: row.is_default === 1,
      attached,
      heartbeat_age_sec: attached ? seconds(ageMs(this.beatAt(row, now), now)) : null,
      fresh: this.isFresh(row, now),
      last_claim_at: isoOrNull(lastClaim),
      last_claim_age_sec: lastClaim === null ? null : seconds(ageMs(lastClaim, now)),
      monitor_version: row.monitor_version,
      attached_at: iso(row.attached_at),
      detached_at: isoOrNull(row.detached_at),
      detached_reason: row.detached_reason,
      session_token: row.session_token === null ? null : secrets.open(row.session_token, purpose(row.id)),
    };
  },

  seal: (id: string, token: string): string => secrets.seal(token, purpose(id)),
});

const purpose = (id: string): string => `live-session-token:${id}`;

/** Whole tenths that have passed: what is shown reaches the threshold when the beat does, not before. */
export const seconds = (ms: number): number => Math.floor(ms / 100) / 10;

/** A label that is safe as a file name; others have no heartbeat file. */
const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/**
 * Heartbeats as file times: monitors on the same machine touch `<dir>/<agent id>/<label>.heartbeat`. The folder comes from
 * the operator alone; what clients name never becomes more of a path than one file name. Says when the file was last touched.
 * Synchronous: it is asked inside transactions, which wait for nothing else.
 */
function fileBeatAt(
  { heartbeatDir: directory, spellAgent }: DeliverySettings,
  suffix: string,
  label: string,
): number | null {
  if (directory === undefined || !FILE_NAME.test(label)) return null;
  const file = join(directory, spellAgent(suffix), `${label}.heartbeat`);
  try {
    return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;
  } catch {
    // A folder that cannot be read tells nothing about the session.
    return null;
  }
}
