import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { baseCapsule } from '../../../packages/server/src/continuity/testing/base-capsule.ts';
import type { BenchServer } from '../both-stores.ts';
import { Connection, rawRequest } from '../connection.ts';
import { analyzed, type Copies, copies, hex } from './copies.ts';
import { json, registerOwner } from '../mail.ts';

export interface SeedSizes {
  readonly agents: number;
  readonly messages: number;
  readonly capsules: number;
  /** Accounts that all of it is spread over; the first of them sent all messages. */
  readonly owners: number;
}

/** Whose key opens it, and what can be looked at. */
export interface Seeded {
  readonly sizes: SeedSizes;
  readonly seconds: number;
  readonly key: string;
  readonly owner: string;
  readonly message: string;
  readonly execution: string;
  readonly cue: string;
  readonly room: string;
}

const DAY_MS = 24 * 3_600_000;
/** All of it happened within this time. */
const QUARTER_MS = 90 * DAY_MS;
/** So many of the other kinds for each agent or capsule. */
const TENTH = 10;

const MARK = 'seed.json';

/**
 * A store as a large server has it: one of each kind is made through the API, and its rows are copied inside the store with new
 * keys and times of their own. A folder that has been filled is left as it is.
 */
export async function seed(server: BenchServer, dataDir: string, sizes: SeedSizes): Promise<Seeded> {
  const mark = join(dataDir, MARK);
  if (existsSync(mark)) return JSON.parse(readFileSync(mark, 'utf8')) as Seeded;
  const began = performance.now();
  const made = await firstOnes(server);
  for (const each of rowsOf(server, made, sizes)) await copies(server.context.database, each);
  await analyzed(server.context.database);
  const seeded = { ...made, sizes, seconds: (performance.now() - began) / 1000 };
  writeFileSync(mark, JSON.stringify(seeded));
  return seeded;
}

type First = Omit<Seeded, 'sizes' | 'seconds'>;

async function firstOnes({ url }: BenchServer): Promise<First> {
  const connection = await Connection.open(url);
  const { key, slug: owner } = await registerOwner(connection);
  const post = <Body = { id: string }>(path: string, body: object, as = key) =>
    json<Body>(connection.request(rawRequest('POST', path, body, as)));
  await post('/v1/agents', { slug: 'seed', webhook_url: 'https://example.com/hook' });
  const sent = await post<{ id: string; execution_id: string }>('/v1/messages', {
    to: 'seed',
    subject: 'Seed',
    body: 'words '.repeat(20),
    delivery_mode: 'inbox',
  });
  const capsule = baseCapsule('thread', 'seed', new Date().toISOString());
  await post('/v1/continuity/upsert', { subject_kind: 'thread', subject_id: 'seed', capsule });
  const cue = await post('/v1/cues', { name: 'seed', cron: '0 6 * * *', agent: 'seed' });
  await post(`/v1/cues/${cue.id}/fire`, {});
  await post('/v1/schedule/items', { kind: 'reminder', title: 'Seed', due_at: '2090-01-01T00:00:00Z' });
  const listing = await post<{ room_id: string }>('/v1/listings', { topic: 'Seed' });
  connection.close();
  return { key, owner, message: sent.id, execution: sent.execution_id, cue: cue.id, room: listing.room_id };
}

const earlier = (column: string, by: number): string => `${column} - n * ${by}`;

function rowsOf({ context }: BenchServer, made: First, sizes: SeedSizes): Copies[] {
  const { agents, messages, capsules, owners } = sizes;
  const { database } = context;
  const id = (number: string): string => hex(database, number);
  /** The account of an agent, by the number of the agent. */
  const belongs = (first: string, number = 'n'): string =>
    owners === 1
      ? first
      : `CASE ${number} % ${owners} WHEN 0 THEN ${first} ELSE 'seed-' || (${number} % ${owners}) END`;
  const recipient = `(n % ${agents} + 1)`;
  const step = Math.floor(QUARTER_MS / messages);
  const few = Math.ceil(agents / TENTH);
  const runs = Math.floor(QUARTER_MS / few);
  const writes = Math.floor(QUARTER_MS / capsules);
  return [
    {
      table: 'owners',
      template: `slug = '${made.owner}'`,
      count: owners - 1,
      replaced: {
        id: "'seed-' || n",
        slug: "'seed-' || n",
        email: "'seed-' || n || '@example.com'",
        email_key: "'seed-' || n || '@example.com'",
      },
    },
    {
      table: 'agents',
      template: "slug = 'seed'",
      count: agents,
      replaced: {
        owner_id: belongs('owner_id'),
        suffix: id('n'),
        slug: "'agent-' || n",
        display_name: "'Agent ' || n",
        created_at: earlier('created_at', 1000),
      },
    },
    {
      table: 'agent_delivery',
      template: "agent = (SELECT suffix FROM agents WHERE slug = 'seed')",
      count: agents,
      replaced: {
        agent: id('n'),
        owner_id: belongs('owner_id'),
        webhook_url: `CASE n % 100 WHEN 0 THEN webhook_url END`,
        last_seen_at: `CASE n % 2 WHEN 0 THEN created_at END`,
        created_at: earlier('created_at', 1000),
      },
    },
    {
      table: 'messages',
      template: `id = '${made.message}'`,
      count: messages,
      replaced: {
        id: `'msg_' || ${id('n')}`,
        thread_id: `'msg_' || ${id('n / 4')}`,
        execution_id: `'exec_' || ${id('n')}`,
        recipient: id(recipient),
        recipient_owner: belongs('recipient_owner', recipient),
        state: "CASE n % 41 WHEN 0 THEN 'failed' WHEN 1 THEN 'queued' ELSE 'acked' END",
        failed_at: `CASE n % 41 WHEN 0 THEN ${earlier('created_at', step)} END`,
        created_at: earlier('created_at', step),
        updated_at: earlier('updated_at', step),
      },
    },
    {
      table: 'executions',
      template: `message_id = '${made.message}'`,
      count: messages,
      replaced: {
        id: `'exec_' || ${id('n')}`,
        message_id: `'msg_' || ${id('n')}`,
        agent: id(recipient),
        owner_id: belongs('owner_id', recipient),
        status: "CASE n % 41 WHEN 0 THEN 'failed' ELSE 'success' END",
        created_at: earlier('created_at', step),
        updated_at: earlier('updated_at', step),
        scheduled_for: earlier('scheduled_for', step),
      },
    },
    {
      table: 'message_tallies',
      template: "box = 'inbox'",
      count: agents,
      replaced: { agent: id('n'), state: "'queued'", count: '1 + n % 5' },
    },
    {
      table: 'cues',
      template: `id = '${made.cue}'`,
      count: few,
      replaced: {
        id: `'cue_' || ${id('n')}`,
        owner_id: belongs('owner_id'),
        name: "'cue ' || n",
        agent: id('n'),
        next_run: `next_run + n * 60000`,
        created_at: earlier('created_at', 1000),
      },
    },
    {
      table: 'executions',
      template: `cue_id = '${made.cue}'`,
      count: few,
      replaced: {
        id: `'exec_c' || ${id('n')}`,
        cue_id: `'cue_' || ${id('n')}`,
        owner_id: belongs('owner_id'),
        agent: id('n'),
        status: "CASE n % 10 WHEN 0 THEN 'failed' ELSE 'success' END",
        created_at: earlier('created_at', runs),
        updated_at: earlier('updated_at', runs),
      },
    },
    {
      table: 'rooms',
      template: `id = '${made.room}'`,
      count: few,
      replaced: {
        id: `'room_' || ${id('n')}`,
        listing_id: `'lst_' || ${id('n')}`,
        state: "CASE n % 5 WHEN 0 THEN state ELSE 'CLOSED' END",
        due_at: 'NULL',
        created_at: earlier('created_at', runs),
      },
    },
    {
      table: 'room_participants',
      template: `room_id = '${made.room}'`,
      count: few,
      replaced: {
        room_id: `'room_' || ${id('n')}`,
        agent: id('n'),
        owner_id: belongs('owner_id'),
        room_created_at: earlier('room_created_at', runs),
      },
    },
    {
      table: 'continuity_revisions',
      template: "slug = 'seed'",
      count: capsules,
      replaced: {
        owner_id: belongs('owner_id'),
        slug: "'work-' || n",
        path: 'path || n',
        peer_id: `'agent-' || ${recipient}`,
        recorded_at: earlier('recorded_at', writes),
      },
    },
    {
      table: 'continuity_artifacts',
      template: "slug = 'seed'",
      count: capsules,
      replaced: {
        owner_id: belongs('owner_id'),
        slug: "'work-' || n",
        subject_id: "'work-' || n",
        updated_ms: earlier('updated_ms', writes),
      },
    },
    {
      table: 'schedule_items',
      template: "title = 'Seed'",
      count: few,
      replaced: {
        owner_id: belongs('owner_id'),
        schedule_id: `'sch_' || ${id('n')}`,
        title: "'Reminder ' || n",
      },
    },
  ];
}
