import type { IdentityService } from '../identity/service.ts';
import { errorFields } from '../platform/log.ts';
import { checkStoredUrl } from '../platform/outbound/stored-url.ts';
import type { Platform } from '../platform.ts';
import type { EventSink } from './events/agent-events.ts';
import { adoptAgents } from './agents/adoption.ts';
import { AgentView } from './agents/agent-view.ts';
import { DeliveryAgents } from './agents/agents.ts';
import { AgentReach } from './agents/reach.ts';
import { Directory } from './agents/directory.ts';
import { lastSeenOf } from './agents/last-seen.ts';
import { StoredRecipients } from './agents/recipients.ts';
import { WebhookSecrets } from './agents/webhook-secrets.ts';
import { PushObservers } from './agents/push-observers.ts';
import type { Recipients } from './routing/recipient.ts';
import { HeartbeatFiles } from './sessions/heartbeat-files.ts';
import { LiveSessions } from './sessions/live-sessions.ts';
import { SessionView } from './sessions/session.ts';
import { agentOfTask } from './sessions/session-store.ts';
import { deliverySettings } from './settings.ts';

/** Agents as receivers: who they are, what they can be sent, and whether they are there. */
export interface AgentSide {
  readonly agents: DeliveryAgents;
  readonly directory: Directory;
  /** Whether a key may act on the agent, message or execution it names. */
  readonly reach: AgentReach;
  readonly sessions: LiveSessions;
  readonly view: AgentView;
  readonly sessionView: SessionView;
  /** What messages ask of agents. */
  readonly recipients: Recipients;
  /** The secrets that sign what is posted to agents. */
  readonly webhookSecrets: WebhookSecrets;
  /** Where messages register, to be told of what happens to agents. */
  readonly observers: PushObservers;
  start(): Promise<void>;
  close(): Promise<void>;
}

export function createAgentSide(platform: Platform, identity: IdentityService, events: EventSink): AgentSide {
  const { config, database, clock, log, secrets, addressRules, resolve } = platform;
  const settings = deliverySettings(config);
  const observers = new PushObservers();
  const { directory } = identity;
  const sessionView = new SessionView({
    files: new HeartbeatFiles(settings.heartbeatDir, settings.spellAgent),
    secrets,
    thresholdMs: settings.heartbeatThresholdMs,
  });
  const lastSeen = lastSeenOf({
    database,
    clock,
    onError: (error) => log.error('last_seen_write_failed', errorFields(error)),
  });
  const view = new AgentView({ directory, sessionView, clock, settings, lastSeen });
  const webhookSecrets = new WebhookSecrets(platform);
  const sessions = new LiveSessions({
    ...platform,
    sessionView,
    autoDetachMs: settings.autoDetachMs,
    budgets: settings.budgets,
    observer: observers,
    events,
    spellAgent: settings.spellAgent,
  });
  const agents = new DeliveryAgents({
    ...platform,
    identity,
    settings,
    view,
    secrets: webhookSecrets,
    sessions,
    observer: observers,
    checkUrl: (url) => checkStoredUrl(url, addressRules, resolve),
  });
  // Asked after the slugs that were given up by renaming.
  directory.alsoFind((ownerId, slug) => agentOfTask(database.read, ownerId, slug));
  return {
    agents,
    directory: new Directory({ database, clock, view, sessionView }),
    reach: new AgentReach(database, directory),
    sessions,
    view,
    sessionView,
    recipients: new StoredRecipients({
      database,
      clock,
      settings,
      directory,
      lastSeen,
      sessionView,
      sessions,
    }),
    webhookSecrets,
    observers,
    start: () => adoptAgents(database, directory),
    close: () => lastSeen.close(),
  };
}
