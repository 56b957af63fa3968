import type { IdentityService } from '../identity/service.ts';
import { Observers } from '../platform/observers.ts';
import type { Platform } from '../platform.ts';
import type { EventSink } from './records/agent-event.ts';
import { adoptAgents } from './agents/adoption.ts';
import { receiveAgents } from './agents/agents.ts';
import { LastSeen } from './agents/last-seen.ts';
import { type AgentReach, agentReach } from './agents/reach.ts';
import { Recipients } from './agents/recipients.ts';
import type { AgentsContext } from './agents-context.ts';
import type { PushObserver } from './routing/recipient.ts';
import { defineSilence } from './sessions/live-sessions.ts';
import { createSessionView } from './sessions/session.ts';
import { deliverySettings } from './settings.ts';

/** Agents as receivers: who they are, what they can be sent, and whether they are there. */
export interface AgentSide extends AgentsContext {
  /** Whether a key may act on the agent, message or execution it names. */
  readonly reach: AgentReach;
  /** What messages ask of agents. */
  readonly recipients: Recipients;
  start(): Promise<void>;
  close(): Promise<void>;
}

export function createAgentSide(platform: Platform, identity: IdentityService, events: EventSink): AgentSide {
  const { config, database, log, secrets, cluster } = platform;
  const settings = deliverySettings(config);
  const observers = new Observers<PushObserver>();
  const { directory } = identity;
  const lastSeen = new LastSeen({
    ...platform,
    isAlone: cluster.isAlone,
    onError: log.failed('last_seen_write_failed'),
  });
  const sessionView = createSessionView(settings, secrets);
  const context = { ...platform, identity, settings, sessionView, lastSeen, observers, events };
  receiveAgents(context);
  defineSilence(context);
  return {
    ...context,
    reach: agentReach(database, directory),
    recipients: new Recipients(context),
    start: () => adoptAgents(database, directory),
    close: () => lastSeen.close(),
  };
}
