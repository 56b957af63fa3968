import type { Need, Overview } from '@parley/protocol/console/view-routes';
import type { Lately } from '../delivery/overview/lately.ts';
import { iso } from '../wire/delivery/times.ts';
import type { Person } from '../wire/person.ts';
import { reachedAnswer } from './agents.ts';
import type { ConsoleContext } from './create-module.ts';
import { namesOf } from './scope.ts';
import { failingWebhooks, serverNeeds } from './server-needs.ts';
import { DAY } from '../platform/units.ts';

const MOST_NEEDS = 50;
const MOST_AWAKE = 60;

type Troubles = Awaited<ReturnType<Lately['troubles']>>;

/** What needs somebody, newest first, and who is awake. Each list is bounded, and read from an index. */
export async function overviewOf(context: ConsoleContext, person: Person): Promise<Overview> {
  const { clock, console } = context;
  const now = clock.now();
  const { ownerId } = person;
  const [troubles, awake, hooks, own] = await Promise.all([
    console.lately.troubles(ownerId, now - 7 * DAY, MOST_NEEDS),
    console.lately.awake(ownerId, MOST_AWAKE),
    failingWebhooks(context, person),
    person.role === 'operator' ? serverNeeds(context, now) : [],
  ]);
  const needs = [...own, ...hooks, ...(await told(context, troubles, person))];
  return {
    needs: needs.toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(0, MOST_NEEDS),
    awake: awake.map((agent) => reachedAnswer(console.spellAgent, agent, now)),
    empty: awake.length === 0,
  };
}

async function told(context: ConsoleContext, troubles: Troubles, person: Person): Promise<Need[]> {
  const { messages, executions, leases, threads, alerts } = troubles;
  const { addresses, slugs } = await namesOf(
    context,
    [...messages, ...threads, ...executions, ...leases].map((row) =>
      'recipient' in row ? row.recipient : row.agent,
    ),
    [
      ...[...messages, ...threads].map((row) => row.recipient_owner),
      ...[...executions, ...leases, ...alerts].map((row) => row.owner_id),
    ],
  );
  const name = (suffix: string | null): string =>
    suffix === null ? 'a worker' : (addresses.get(suffix) ?? suffix);
  // Of a message between two owners each sees its own side.
  const ownerOf = (id: string): string | null => slugs.get(person.ownerId ?? id) ?? null;
  return [
    ...messages.map(
      (row): Need => ({
        kind: 'message_failed',
        id: row.id,
        owner: ownerOf(row.recipient_owner),
        title: `A message did not reach ${name(row.recipient)}`,
        why: row.dispatch_error,
        at: iso(row.failed_at),
        view: `/messages/${row.id}`,
      }),
    ),
    ...executions.map(
      (row): Need => ({
        kind: 'run_failed',
        id: row.id,
        owner: ownerOf(row.owner_id),
        title: `A run of a cue for ${name(row.agent)} ${RUN_WORDS[row.status] ?? 'failed'}`,
        why: row.error_message,
        at: iso(row.updated_at),
        view: `/cues/${row.cue_id}`,
      }),
    ),
    ...leases.map(
      (row): Need => ({
        kind: 'lease_lapsed',
        id: row.id,
        owner: ownerOf(row.owner_id),
        title: `${row.claimed_by ?? 'A worker'} took work for ${name(row.agent)} and went silent`,
        why: 'its lease has lapsed',
        at: iso(row.lease_expires_at),
        view: `/executions?id=${row.id}`,
      }),
    ),
    ...threads.map(
      (row): Need => ({
        kind: 'thread_stopped',
        id: row.id,
        owner: ownerOf(row.recipient_owner),
        title: `A thread with ${name(row.recipient)} was stopped`,
        why: 'agents answered each other without a person in between',
        at: iso(row.tripped_at),
        view: `/messages/${row.message_id}`,
      }),
    ),
    ...alerts.map(
      (row): Need => ({
        kind: 'alert',
        id: row.id,
        owner: ownerOf(row.owner_id),
        title: ALERT_WORDS[row.alert_type] ?? row.alert_type,
        why: row.message,
        at: iso(row.created_at),
        view: row.execution_id === null ? `/cues/${row.cue_id}` : `/executions?id=${row.execution_id}`,
      }),
    ),
  ];
}

const RUN_WORDS: Readonly<Record<string, string>> = {
  failed: 'failed',
  missed: 'was missed',
  outcome_timeout: 'never told how it ended',
};

const ALERT_WORDS: Readonly<Record<string, string>> = {
  consecutive_failures: 'A cue fails again and again',
  verification_failed: 'An outcome could not be verified',
  outcome_timeout: 'A run never told how it ended',
  missed_window: 'A cue missed its time',
  live_unclaimed: 'Nobody took what was offered live',
};
