import type { Agents } from '../identity/agents/agents.ts';
import type { ExecutionEnds } from './records/execution-ends.ts';
import type { EventSink } from './records/agent-event.ts';
import type { StartupViews } from './records/startup-views.ts';
import type { Sweeps } from './records/sweeps.ts';
import type { Tallies } from './records/tallies.ts';
import type { Outlets } from './records/outlets.ts';
import type { Wakes } from './records/wakes.ts';
import type { Recipients } from './agents/recipients.ts';
import type { DeliverySettings } from './settings.ts';
import type { Platform } from '../platform.ts';

/** What every rule of messages and executions works with. */
export interface MessagingContext extends Pick<Platform, 'database' | 'clock' | 'random' | 'jobs'> {
  readonly settings: DeliverySettings;
  /** The agents of all owners, by address. */
  readonly directory: Agents;
  /** Agents as messages see them. */
  readonly recipients: Recipients;
  /** Parks and wakes who waits for something. */
  readonly wakes: Wakes;
  readonly tallies: Tallies;
  readonly sweeps: Sweeps;
  /** Who is told what becomes of executions. */
  readonly ends: ExecutionEnds;
  /** What agents are told of. */
  readonly events: EventSink;
  /** What agents carry on from, for wakes that bring it along. */
  readonly startup: StartupViews;
  /** How pushes leave the server. */
  readonly outlets: Outlets;
}
