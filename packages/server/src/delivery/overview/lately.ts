import type { AgentStatus, MessageState } from '@parley/protocol/delivery/vocabulary';
import { agentRecord } from '../agents/agent-store.ts';
import { latestOf } from '../agents/last-seen.ts';
import { countsOf } from '../records/tally-store.ts';
import { planPush, type PushPlan } from '../routing/push-plan.ts';
import type { Recipient } from '../routing/recipient.ts';
import type { DeliveryModule } from '../create-module.ts';
import * as store from './lately-store.ts';
import * as troubles from './trouble-store.ts';
import { agentEndpoints, eventEndpoints } from './webhook-list-store.ts';

export type { ListedExecution, ListedMessage } from './lately-store.ts';

/** An agent with the way that a message sent to it now would go. */
export interface ReachedAgent {
  readonly recipient: Recipient;
  readonly plan: PushPlan;
  readonly name: string;
  readonly status: AgentStatus;
  readonly lastSeenAt: number | null;
  /** Messages that it has not read. */
  readonly waiting: number;
}

const WAITING: readonly MessageState[] = ['queued', 'delivering', 'retry_ready', 'claimed', 'delivered'];

/** What people see across agents. Without an owner: of everybody. */
export const lately = ({ agents, messaging }: DeliveryModule) => {
  const { database, clock, settings, recipients } = agents;
  const { read } = database;

  const reached = async (suffix: string): Promise<ReachedAgent | undefined> => {
    const recipient = await recipients.find(read, suffix);
    if (!recipient) return undefined;
    const { heartbeatThresholdMs, claimWindowMs } = settings;
    const times = { now: clock.now(), heartbeatThresholdMs, claimWindowMs };
    const plan = planPush(recipient, { mode: 'auto', fallback: 'background', liveLabel: null }, times);
    const [record, inbox] = await Promise.all([agentRecord(read, suffix), countsOf(read, suffix, 'inbox')]);
    const name = (await agents.identity.directory.bySuffix([suffix])).get(suffix)?.name ?? recipient.slug;
    return {
      recipient,
      name,
      plan,
      status: record?.status ?? 'offline',
      lastSeenAt: latestOf(agents.lastSeen, suffix, record?.lastSeenAt ?? null),
      waiting: WAITING.reduce((sum, state) => sum + (inbox.get(state) ?? 0), 0),
    };
  };
  const all = async (suffixes: readonly string[]): Promise<ReachedAgent[]> =>
    (await Promise.all(suffixes.map(reached))).filter((each) => each !== undefined);

  return {
    reached,
    messages: (ask: store.MessageAsk) => store.messagesLately(read, ask),
    executions: (ask: store.ExecutionAsk) => store.executionsLately(read, ask),
    async agents(ask: { ownerId: string | undefined; after: store.Place | undefined; limit: number }) {
      const rows = await store.agentsLately(read, ask);
      const last = rows.at(-1);
      return {
        agents: await all(rows.map(({ agent }) => agent)),
        next: rows.length < ask.limit || !last ? undefined : { at: last.created_at, id: last.agent },
      };
    },
    async awake(ownerId: string | undefined, most: number): Promise<ReachedAgent[]> {
      const newest = await store.agentsLately(read, { ownerId, after: undefined, limit: 10 });
      const awake = await troubles.agentsAwake(read, ownerId, most);
      return await all([...new Set([...awake, ...newest.map(({ agent }) => agent)])].slice(0, most));
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
    counts: async (ownerId: string | undefined, since: number, step: number) => ({
      messages: await troubles.messageCounts(read, ownerId, since, step),
      failures: await troubles.failureCounts(read, ownerId, since, step),
      fires: await troubles.fireCounts(read, ownerId, since, step),
    }),
    agentEndpoints: (ownerId: string | undefined, most: number) => agentEndpoints(read, ownerId, most),
    eventEndpoints: (ownerId: string | undefined, most: number) => eventEndpoints(read, ownerId, most),
    ownerOf: (id: string) => store.ownerOf(read, id),
    addresses: (suffixes: readonly string[]) => messaging.recipients.addresses(read, suffixes),
  };
};

export type Lately = ReturnType<typeof lately>;
