import { countAttached } from './sessions/session-store.ts';
import type { IdentityService } from '../identity/service.ts';
import type { Platform } from '../platform.ts';
import type { AgentSide } from './create-agents.ts';
import type { EventSink } from './records/agent-event.ts';
import type { MessagingContext } from './messaging-context.ts';
import { defineLeases } from './executions/leases.ts';
import { defineOffers, offerObserver } from './executions/live-offers.ts';
import { defineDueMessages } from './messages/due-messages.ts';
import { type HouseMail, houseMail } from './messages/house-mail.ts';
import { OneAtATime } from './messages/one-at-a-time.ts';
import { createSendLimits } from './messages/send-limits.ts';
import type { SendingContext } from './messages/sending.ts';
import { defineSweeper } from './messages/sweeper.ts';
import { outcomesIn, storedBytes, usedIn } from './usage/usage-store.ts';
import { monthOf } from '../platform/month.ts';
import { ExecutionEnds } from './records/execution-ends.ts';
import { StartupViews } from './records/startup-views.ts';
import { Sweeps } from './records/sweeps.ts';
import { Tallies } from './records/tallies.ts';
import { Wakes } from './records/wakes.ts';

/** Messages and executions: what is sent, how it travels, who takes it and what came of it. */
export interface Messaging extends SendingContext {
  /** For what other modules tell agents. */
  readonly mail: HouseMail;
  close(): void;
}

export function createMessaging(
  platform: Platform,
  identity: IdentityService,
  { recipients, observers, settings }: Pick<AgentSide, 'recipients' | 'observers' | 'settings'>,
  events: EventSink,
): Messaging {
  const { database, clock, random, limits } = platform;
  const context: MessagingContext = {
    ...platform,
    settings,
    directory: identity.directory,
    recipients,
    wakes: new Wakes(platform),
    tallies: new Tallies(database.dialect, random),
    sweeps: new Sweeps(platform),
    ends: new ExecutionEnds(),
    startup: new StartupViews(platform.log),
    events,
    outlets: { webhooks: new Map() },
  };
  defineOffers(context);
  defineLeases(context);
  defineDueMessages(context);
  defineSweeper(context);
  observers.add(offerObserver(context));
  identity.hooks.usage.push(async (ownerId) => {
    const used = await usedIn(database.read, ownerId, monthOf(clock.now()));
    return { executionsThisMonth: used.executions, messagesThisMonth: used.messages };
  });
  identity.hooks.held.push(async (ownerId) => ({
    liveSessions: await countAttached(database.read, ownerId),
    outcomes: await outcomesIn(database.read, ownerId, monthOf(clock.now())),
  }));
  identity.storedBytes.add(storedBytes);
  return {
    ...context,
    limits: createSendLimits(limits, settings),
    stored: identity.storedBytes,
    keys: new OneAtATime(),
    mail: houseMail(context),
    close: () => context.wakes.close(),
  };
}
