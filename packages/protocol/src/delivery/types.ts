import type { z } from 'zod';
import type * as agents from './agent-answers.ts';
import type * as agentInput from './agent-schemas.ts';
import type * as cues from './cue-answers.ts';
import type * as cueInput from './cue-schemas.ts';
import type * as events from './event-answers.ts';
import type * as eventInput from './event-schemas.ts';
import type * as executions from './execution-answers.ts';
import type * as executionInput from './execution-schemas.ts';
import type * as liveInput from './live-session-schemas.ts';
import type * as messages from './message-answers.ts';
import type * as messageInput from './message-schemas.ts';

export type AgentCreate = z.output<typeof agentInput.agentCreate>;
export type AgentPatch = z.output<typeof agentInput.agentPatch>;
export type ProfilePatch = z.output<typeof agentInput.profilePatch>;

export type AgentAnswer = z.output<typeof agents.agent>;
export type AgentListAnswer = z.output<typeof agents.agentList>;
export type ProfileAnswer = z.output<typeof agents.profile>;
export type LiveSessionAnswer = z.output<typeof agents.liveSession>;
export type DirectoryAnswer = z.output<typeof agents.directory>;
export type RosterAnswer = z.output<typeof agents.roster>;
export type RosterEntry = z.output<typeof agents.rosterEntry>;
export type PresenceAnswer = z.output<typeof agents.presence>;

export type LiveSessionAttach = z.output<typeof liveInput.liveSessionAttach>;
export type LiveSessionPatch = z.output<typeof liveInput.liveSessionPatch>;
export type LiveClaim = z.output<typeof liveInput.liveClaim>;

export type MessageCreate = z.output<typeof messageInput.messageCreate>;
export type InboxQuery = z.output<typeof messageInput.inboxQuery>;
export type SentQuery = z.output<typeof messageInput.sentQuery>;
export type MessageAnswer = z.output<typeof messages.message>;

export type ExecutionListQuery = z.output<typeof executionInput.executionListQuery>;
export type ClaimableQuery = z.output<typeof executionInput.claimableQuery>;
export type OutcomeReport = z.output<typeof executionInput.outcomeReport>;
export type EvidencePatch = z.output<typeof executionInput.evidencePatch>;
export type ExecutionAnswer = z.output<typeof executions.execution>;
export type ExecutionListAnswer = z.output<typeof executions.executionList>;
export type OutcomeAnswer = z.output<typeof executions.outcome>;
export type ClaimableAnswer = z.output<typeof executions.claimable>;
export type LiveClaimAnswer = z.output<typeof executions.liveClaimed>;

export type CueCreate = z.output<typeof cueInput.cueCreate>;
export type CuePatch = z.output<typeof cueInput.cuePatch>;
export type CueFire = z.output<typeof cueInput.cueFire>;
export type CueBackfill = z.output<typeof cueInput.cueBackfill>;
export type CueListQuery = z.output<typeof cueInput.cueListQuery>;
export type CueSchedule = z.output<typeof cueInput.schedule>;
export type CueCallback = z.output<typeof cueInput.callback>;
export type CueRetry = z.output<typeof cueInput.retry>;
export type CueOnFailure = z.output<typeof cueInput.onFailure>;
export type CueVerification = z.output<typeof cueInput.verification>;
export type CueDelivery = z.output<typeof cueInput.delivery>;
export type CueAlerts = z.output<typeof cueInput.alerts>;
export type CueAnswer = z.output<typeof cues.cue>;
export type CueListAnswer = z.output<typeof cues.cueList>;
export type CueWithExecutions = z.output<typeof cues.cueWithExecutions>;
export type CueFired = z.output<typeof cues.cueFired>;
export type SubscriptionCreate = z.output<typeof eventInput.subscriptionCreate>;
export type EventsQuery = z.output<typeof eventInput.eventsQuery>;
export type SubscriptionAnswer = z.output<typeof events.subscription>;
export type EventsAnswer = z.output<typeof events.events>;
