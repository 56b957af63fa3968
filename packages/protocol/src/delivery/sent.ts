import type { z } from 'zod';
import type * as agents from './requests/agent-schemas.ts';
import type * as cues from './requests/cue-schemas.ts';
import type * as events from './requests/event-schemas.ts';
import type * as executions from './requests/execution-schemas.ts';
import type * as messages from './requests/message-schemas.ts';

/** What a client may send: as the schemas take it, before defaults are filled in. */
export type SentAgent = z.input<typeof agents.agentCreate>;
export type SentAgentPatch = z.input<typeof agents.agentPatch>;
export type SentMessage = z.input<typeof messages.messageCreate>;
export type SentCue = z.input<typeof cues.cueCreate>;
export type SentCuePatch = z.input<typeof cues.cuePatch>;
export type SentCueFire = z.input<typeof cues.cueFire>;
export type SentCueBackfill = z.input<typeof cues.cueBackfill>;
export type SentClaimNext = z.input<typeof executions.claimNext>;
export type SentOutcome = z.input<typeof executions.outcomeReport>;
export type SentEvidence = z.input<typeof executions.evidencePatch>;
export type SentSubscription = z.input<typeof events.subscriptionCreate>;
