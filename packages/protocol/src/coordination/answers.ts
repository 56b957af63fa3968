import { z } from 'zod';
import { handoff, peer, reconciliation, sharedState } from './artifacts.ts';

const ok = z.literal(true);
const warnings = z.array(z.string());
/** Of a change: what is on disk now. */
const written = { path: z.string(), latest_commit: z.string().nullable() };
const found = { ok, count: z.int(), total_matches: z.int(), warnings };

export const handoffAnswer = z.object({ ok, handoff, path: z.string() });
export const handoffCreated = z.object({ ok, handoff, created: z.literal(true), ...written });
export const handoffConsumed = z.object({ ok, handoff, updated: z.boolean(), ...written });
export const handoffList = z.object({ ...found, handoffs: z.array(handoff) });

export const sharedAnswer = z.object({ ok, shared: sharedState, path: z.string() });
export const sharedCreated = z.object({ ok, shared: sharedState, created: z.literal(true), ...written });
export const sharedUpdated = z.object({
  ok,
  shared: sharedState,
  updated: z.literal(true),
  warnings,
  ...written,
});
export const sharedList = z.object({ ...found, shared_artifacts: z.array(sharedState) });

export const reconciliationAnswer = z.object({ ok, reconciliation, path: z.string() });
export const reconciliationOpened = z.object({ ok, reconciliation, created: z.literal(true), ...written });
export const reconciliationResolved = z.object({ ok, reconciliation, updated: z.boolean(), ...written });
export const reconciliationList = z.object({ ...found, reconciliations: z.array(reconciliation) });

const committed = { committed: z.boolean(), latest_commit: z.string().nullable() };
export const peers = z.object({
  ok,
  count: z.int(),
  peers: z.array(peer),
  updated_at: z.string().nullable(),
});
export const peerRegistered = z.object({ ok, peer, created: z.boolean(), ...committed });
export const peerTrusted = z.object({ ok, peer, ...committed });

export type HandoffAnswer = z.output<typeof handoffAnswer>;
export type HandoffList = z.output<typeof handoffList>;
export type SharedAnswer = z.output<typeof sharedAnswer>;
export type SharedList = z.output<typeof sharedList>;
