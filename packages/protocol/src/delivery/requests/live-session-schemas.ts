import { z } from 'zod';
import { line, orElse, queryFlag } from '../fields.ts';
import {
  MAX_ATTESTATION_KEY,
  MAX_ATTESTATION_PROOF,
  MAX_LABEL,
  MAX_MONITOR_VERSION,
  MAX_PRESENTED_TOKEN,
  MAX_SESSION_CUE_ID,
  MAX_SESSION_TOKEN,
  MAX_TASK_NAME,
} from '../limits.ts';

const monitorVersion = line(MAX_MONITOR_VERSION).nullable().optional();
const sessionToken = z.string().min(1, 'must not be empty').max(MAX_SESSION_TOKEN);

export const liveSessionAttach = z.object({
  label: line(MAX_LABEL),
  task_name: line(MAX_TASK_NAME),
  cue_id: line(MAX_SESSION_CUE_ID).nullable().optional(),
  is_default: orElse(z.boolean(), false),
  monitor_version: monitorVersion,
  session_token: sessionToken.nullable().optional(),
  /** Ed25519 public key, 32 bytes in base64 or base64url: claims must then be signed as well. */
  attestation_key: line(MAX_ATTESTATION_KEY).nullable().optional(),
});

export const liveSessionList = z.object({ include_detached: queryFlag.default(false) });

/** Neither field, or a default switched off, are errors of their own. */
export const liveSessionPatch = z.object({
  is_default: z.boolean().nullish(),
  session_token: sessionToken.nullish(),
});

export const liveSessionBeat = z.object({ monitor_version: monitorVersion });

export const liveClaim = z.object({
  session_token: z.string().min(1, 'must not be empty').max(MAX_PRESENTED_TOKEN),
  exec_id: z.string().max(MAX_PRESENTED_TOKEN).nullable().optional(),
  task_name: z.string().max(MAX_TASK_NAME).nullable().optional(),
  /** Signature over the execution id, base64 or base64url, by the session's attestation key. */
  proof: z.string().max(MAX_ATTESTATION_PROOF).nullable().optional(),
});
