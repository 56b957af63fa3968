import { operatorCode } from '../../packages/server/src/identity/sign-ins/operator-code.ts';
import { baseCapsule } from '../../packages/server/src/continuity/testing/base-capsule.ts';
import type { BenchServer } from './both-stores.ts';
import { Connection, rawRequest } from './connection.ts';
import { json, registerOwner } from './mail.ts';

export interface SeedSizes {
  readonly agents: number;
  readonly messages: number;
  readonly capsules: number;
}

type Database = BenchServer['context']['database'];

/** All of it happened within this time, and belongs to so many accounts; the first of them sent all messages. */
const QUARTER_MS = 90 * 24 * 3_600_000;
const OWNERS = 100;

/** Rows in one transaction: more would keep the log of the store growing. */
const STRIDE = 50_000;

/**
 * A store as a large server has it: one row of each kind is made through the API, and copied inside the store with new keys and
 * times of its own. A size that is there already is left as it is, so a second run goes on where one stopped.
 */
export async function seed(server: BenchServer, sizes: SeedSizes): Promise<{ key: string; slug: string }> {
  const connection = await Connection.open(server.url);
  const owner = await registerOwner(connection);
  const post = (path: string, body: object) =>
    json<{ id: string }>(connection.request(rawRequest('POST', path, body, owner.key)));
  await post('/v1/agents', { slug: 'seed' });
  const { id: message } = await post('/v1/messages', {
    to: 'seed',
    subject: 'Seed',
    body: 'words '.repeat(20),
  });
  const capsule = baseCapsule('thread', 'seed', new Date().toISOString());
  await post('/v1/continuity/upsert', { subject_kind: 'thread', subject_id: 'seed', capsule });
  connection.close();
  const { database } = server.context;
  const belongs = (to: string, number = 'n'): string =>
    `CASE ${number} % ${OWNERS} WHEN 0 THEN ${to} ELSE 'seed-' || (${number} % ${OWNERS}) END`;
  await copies(database, 'owners', `slug = '${owner.slug}'`, OWNERS - 1, {
    id: "'seed-' || n",
    slug: "'seed-' || n",
    email: "'seed-' || n || '@example.com'",
    email_key: "'seed-' || n || '@example.com'",
  });
  await copies(database, 'agents', "slug = 'seed'", sizes.agents, {
    owner_id: belongs('owner_id'),
    suffix: "printf('%012x', n)",
    slug: "'agent-' || n",
    display_name: "'Agent ' || n",
    created_at: 'created_at - n * 1000',
  });
  await copies(
    database,
    'agent_delivery',
    "agent = (SELECT suffix FROM agents WHERE slug = 'seed')",
    sizes.agents,
    { agent: "printf('%012x', n)", owner_id: belongs('owner_id'), created_at: 'created_at - n * 1000' },
  );
  const number = `(n % ${sizes.agents} + 1)`;
  const recipient = `printf('%012x', ${number})`;
  const step = Math.floor(QUARTER_MS / sizes.messages);
  await copies(database, 'messages', `id = '${message}'`, sizes.messages, {
    id: "'msg_' || printf('%012x', n)",
    thread_id: "'msg_' || printf('%012x', n / 4)",
    execution_id: "'exec_' || printf('%012x', n)",
    recipient,
    recipient_owner: belongs('recipient_owner', number),
    state: "CASE n % 40 WHEN 0 THEN 'failed' WHEN 1 THEN 'queued' ELSE 'acked' END",
    failed_at: `CASE n % 40 WHEN 0 THEN created_at - n * ${step} END`,
    created_at: `created_at - n * ${step}`,
    updated_at: `updated_at - n * ${step}`,
  });
  await copies(database, 'executions', `message_id = '${message}'`, sizes.messages, {
    id: "'exec_' || printf('%012x', n)",
    message_id: "'msg_' || printf('%012x', n)",
    agent: recipient,
    owner_id: belongs('owner_id', number),
    status: "CASE n % 40 WHEN 0 THEN 'failed' ELSE 'success' END",
    created_at: `created_at - n * ${step}`,
    updated_at: `updated_at - n * ${step}`,
    scheduled_for: `scheduled_for - n * ${step}`,
  });
  await copies(database, 'continuity_artifacts', "slug = 'seed'", sizes.capsules, {
    slug: "'work-' || n",
    subject_id: "'work-' || n",
    updated_ms: 'updated_ms - n * 1000',
  });
  return owner;
}

/** A statement whose text depends on the table. */
const plain = (text: string) => ({ strings: [text], values: [] });

async function copies(
  database: Database,
  table: string,
  template: string,
  wanted: number,
  replaced: Readonly<Record<string, string>>,
): Promise<void> {
  const columns = await database.read.all<{ name: string }>(
    plain(`SELECT name FROM pragma_table_info('${table}')`),
  );
  const there = await database.read.get<{ n: number }>(plain(`SELECT count(*) AS n FROM ${table}`));
  const names = columns.map(({ name }) => name);
  const values = names.map((name) => replaced[name] ?? name);
  for (let from = (there?.n ?? 1) - 1; from < wanted; from += STRIDE) {
    const to = Math.min(wanted, from + STRIDE);
    await database.write((tx) =>
      tx.run(
        plain(`
          WITH RECURSIVE numbers (n) AS (SELECT ${from + 1} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${to})
          INSERT INTO ${table} (${names.join(', ')})
          SELECT ${values.join(', ')} FROM numbers, (SELECT * FROM ${table} WHERE ${template} LIMIT 1)`),
      ),
    );
  }
}

/** The cookie of somebody who is signed in to the console. */
export async function signIn(server: BenchServer, key: string | undefined): Promise<string> {
  const { secrets, clock } = server.context;
  const proof = key === undefined ? { code: operatorCode(secrets, clock.now()) } : { api_key: key };
  const answer = await fetch(`${server.url}/v1/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-parley-console': '1', origin: server.url },
    body: JSON.stringify(proof),
  });
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  if (answer.status !== 201) throw new Error(`nobody was signed in: ${await answer.text()}`);
  return cookie;
}
