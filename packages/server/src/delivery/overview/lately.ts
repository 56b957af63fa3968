import type { CountAsk } from '../../platform/database/built.ts';
import { readThread } from '../messages/loops/loop-guard-store.ts';
import { totalsOf } from '../records/tally-store.ts';
import { planPush, type PushPlan } from '../routing/push-plan.ts';
import type { ListedRecipient } from '../routing/recipient.ts';
import type { DeliveryModule } from '../create-module.ts';
import { type CueAsk, cuesLately } from './cue-pages-store.ts';
import { eventsBefore, type ListedEvent } from './event-pages-store.ts';
import { type ExecutionAsk, executionsLately } from './execution-pages-store.ts';
import * as store from './lately-store.ts';
import { type MessageAsk, messagesLately } from './message-pages-store.ts';
import type { Place } from './place.ts';
import * as counts from './count-store.ts';
import { type ThreadAsk, threadsLately, UNREAD_STATES } from './thread-store.ts';
import * as troubles from './trouble-store.ts';
import { agentEndpoints, eventEndpoints, subscriptionOwner } from './webhook-list-store.ts';

export type { ListedCue } from './cue-pages-store.ts';
export type { ListedEvent } from './event-pages-store.ts';
export type { ListedExecution } from './execution-pages-store.ts';
export type { ListedMessage } from './message-pages-store.ts';
export type { ListedThread, ThreadPlace } from './thread-store.ts';

/** An agent with the way that a message sent to it now would go. */
export interface ReachedAgent extends ListedRecipient {
  readonly plan: PushPlan;
  /** Messages that it has not read. */
  readonly waiting: number;
}

/** Of how many agents of one owner events are gathered. */
const MOST_TOLD_OF = 100;

/** What people see across agents. Without an owner: of everybody. */
export const lately = ({ agents, messaging }: DeliveryModule) => {
  const { database, clock, settings, recipients } = agents;
  const { read } = database;

  /** In the order asked for; those that are deleted are left out. A bounded number of statements, however many they are. */
  const reachedAll = async (suffixes: readonly string[]): Promise<ReachedAgent[]> => {
    const [found, unread] = await Promise.all([
      recipients.findAll(read, suffixes),
      totalsOf(read, suffixes, 'inbox', UNREAD_STATES),
    ]);
    const times = { now: clock.now(), ...settings };
    const request = { mode: 'auto', fallback: 'background', liveLabel: null } as const;
    return suffixes.flatMap((suffix) => {
      const listed = found.get(suffix);
      if (!listed) return [];
      const plan = planPush(listed.recipient, request, times);
      const lastSeenAt = agents.lastSeen.latest(suffix, listed.lastSeenAt);
      return [{ ...listed, plan, lastSeenAt, waiting: unread.get(suffix) ?? 0 }];
    });
  };
  const reached = async (suffix: string): Promise<ReachedAgent | undefined> =>
    (await reachedAll([suffix]))[0];

  return {
    reached,
    reachedAll,
    messages: (ask: MessageAsk) => messagesLately(read, ask),
    threads: (ask: ThreadAsk) => threadsLately(read, ask),
    /** Since when the loop guard holds a thread. */
    threadStoppedAt: async (id: string) => (await readThread(read, id))?.trippedAt ?? null,
    cues: (ask: CueAsk) => cuesLately(read, ask),
    executions: (ask: ExecutionAsk) => executionsLately(read, ask),
    /** Of an owner with very many agents: those heard of last. */
    events: async (ownerId: string | undefined, before: number, limit: number): Promise<ListedEvent[]> => {
      const told =
        ownerId === undefined ? undefined : await troubles.agentsAwake(read, ownerId, MOST_TOLD_OF);
      return await eventsBefore(read, { agents: told, before, limit });
    },
    async agents(ask: { ownerId: string | undefined; after: Place | undefined; limit: number }) {
      const rows = await store.agentsLately(read, ask);
      const last = rows.at(-1);
      return {
        agents: await reachedAll(rows.map(({ agent }) => agent)),
        next: rows.length < ask.limit || !last ? undefined : { at: last.created_at, id: last.agent },
      };
    },
    async awake(ownerId: string | undefined, most: number): Promise<ReachedAgent[]> {
      const newest = await store.agentsLately(read, { ownerId, after: undefined, limit: 10 });
      const awake = await troubles.agentsAwake(read, ownerId, most);
      return await reachedAll([...new Set([...awake, ...newest.map(({ agent }) => agent)])].slice(0, most));
    },
    async troubles(ownerId: string | undefined, since: number, most: number) {
      const now = clock.now();
      const [messages, executions, leases, threads, alerts] = await Promise.all([
        troubles.failedMessages(read, ownerId, since, most),
        troubles.wrongExecutions(read, ownerId, since, most),
        troubles.lapsedLeases(read, ownerId, now, most),
        troubles.trippedThreads(read, ownerId, most),
        troubles.openAlerts(read, ownerId, since, most),
      ]);
      return { messages, executions, leases, threads, alerts };
    },
    counts: async (ask: CountAsk) => ({
      messages: await counts.messageCounts(read, ask),
      failures: await counts.failureCounts(read, ask),
      fires: await counts.fireCounts(read, ask),
    }),
    agentEndpoints: (ownerId: string | undefined, most: number) => agentEndpoints(read, ownerId, most),
    eventEndpoints: (ownerId: string | undefined, most: number) => eventEndpoints(read, ownerId, most),
    subscriptionOwner: (id: string) => subscriptionOwner(read, id),
    ownerOf: (id: string) => store.ownerOf(read, id),
    addresses: (suffixes: readonly string[]) => messaging.recipients.addresses(read, suffixes),
  };
};

export type Lately = ReturnType<typeof lately>;
