import { countAttached } from './sessions/session-store.ts';
import type { IdentityService } from '../identity/service.ts';
import type { Platform } from '../platform.ts';
import type { AgentSide } from './create-agents.ts';
import type { EventSink } from './events/agent-events.ts';
import type { MessagingContext } from './messaging-context.ts';
import { defineHeldLook } from './executions/held-offers.ts';
import { defineLeases } from './executions/leases.ts';
import { defineExpiry, defineLapse, offerObserver } from './executions/live-offers.ts';
import { defineDueMessages } from './messages/due-messages.ts';
import { HouseMail } from './messages/house-mail.ts';
import { PartyFinder } from './messages/parties.ts';
import { SendLimits } from './messages/send-limits.ts';
import { Senders } from './messages/senders.ts';
import { Sending } from './messages/sending.ts';
import { MessageStoring } from './messages/storing.ts';
import { defineSweeper } from './messages/sweeper.ts';
import { outcomesIn } from './usage/quota-store.ts';
import { monthOf, storedBytes, usedIn } from './messages/usage-store.ts';
import { ExecutionEnds } from './records/execution-ends.ts';
import { StartupViews } from './records/startup-views.ts';
import { Sweeps } from './records/sweeps.ts';
import { Tallies } from './records/tallies.ts';
import { Outlets } from './records/transport.ts';
import { Wakes } from './records/wakes.ts';
import { deliverySettings } from './settings.ts';

/** Messages and executions: what is sent, how it travels, who takes it and what came of it. */
export interface Messaging extends MessagingContext {
  readonly sending: Sending;
  /** For what other modules tell agents. */
  readonly mail: HouseMail;
  close(): void;
}

export function createMessaging(
  platform: Platform,
  identity: IdentityService,
  { recipients, observers }: Pick<AgentSide, 'recipients' | 'observers'>,
  events: EventSink,
): Messaging {
  const { config, database, bus, hub, clock, random, jobs, limits } = platform;
  const { directory } = identity;
  const settings = deliverySettings(config);
  const wakes = new Wakes({
    bus,
    waiters: hub.waiters,
    monotonic: () => clock.monotonic(),
  });
  const context: MessagingContext = {
    database,
    clock,
    random,
    jobs,
    settings,
    directory,
    recipients,
    wakes,
    tallies: new Tallies(database.dialect, random),
    sweeps: new Sweeps({ jobs, clock }),
    ends: new ExecutionEnds(),
    startup: new StartupViews(platform.log),
    events,
    outlets: new Outlets(),
  };
  defineHeldLook(context);
  defineLapse(context);
  defineExpiry(context);
  defineLeases(context);
  defineDueMessages(context);
  defineSweeper(context);
  observers.add(offerObserver(context));
  identity.hooks.usage.push(async (ownerId) => {
    const used = await usedIn(database.read, ownerId, monthOf(clock.now()));
    return {
      executionsThisMonth: used.executions,
      messagesThisMonth: used.messages,
    };
  });
  identity.hooks.held.push(async (ownerId) => ({
    liveSessions: await countAttached(database.read, ownerId),
    outcomes: await outcomesIn(database.read, ownerId, monthOf(clock.now())),
  }));
  identity.storedBytes.add(storedBytes);
  const senders = new Senders({ directory, requireSender: settings.requireSender });
  const storing = new MessageStoring(context);
  const sending = new Sending({
    ...context,
    parties: new PartyFinder({ ...context, senders }),
    limits: new SendLimits(limits, settings),
    storing,
    stored: identity.storedBytes,
  });
  return { ...context, sending, mail: new HouseMail(context, storing), close: () => wakes.close() };
}
