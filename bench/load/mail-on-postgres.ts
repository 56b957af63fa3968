import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageCreate } from '@parley/protocol/delivery/requests/message-schemas';
import { loadConfig } from '@parley/server/config/load';
import { createContext } from '@parley/server/context';
import { registerAgent } from '@parley/server/identity/owners/registration';
import { createLog } from '@parley/server/platform/log';
import { Client } from 'pg';
import { sendMessage } from '@parley/server/delivery/messages/sending';

type Row = Readonly<Record<string, unknown>>;

/** As the server spreads its counts, so that writers do not wait for each other here either. */
const SHARDS = 32;

/** Senders of the real service on a PostgreSQL, and connections to write the same rows by hand, into the same tables. */
export interface PostgresMail {
  /** Connections of the server that write, and of those who write by hand. */
  readonly connections: number;
  /** Every sender sends so many, one after the other; returns accepted messages per second. */
  play(each: number): Promise<number>;
  /** Writes the rows of so many messages, each in a transaction of its own; returns messages per second. */
  write(total: number): Promise<number>;
  close(): Promise<void>;
}

export async function setPostgresMail(url: string, senders: number, text: string): Promise<PostgresMail> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const { config } = loadConfig({ cwd: dataDir });
  const log = createLog({ level: 'error', secretPrefixes: [], stream: { write: () => undefined } });
  const context = await createContext({ ...config, dataDir, databaseUrl: url, rateLimits: false }, { log });
  const { identity } = context;
  const { messaging } = context.delivery;
  const seats: (() => Promise<unknown>)[] = [];
  for (let at = 0; at < senders; at++) {
    const { apiKey } = await registerAgent(identity, `sender ${at}`);
    const caller = await identity.authenticate(apiKey);
    if (!caller?.agent) throw new Error('a key that was just made is not known');
    const body = messageCreate.parse({ to: caller.agent.slug, body: text });
    seats.push(() => sendMessage(messaging, caller, { body, from: undefined, idempotencyKey: undefined }));
  }
  for (const send of seats) await send();

  const connections = Math.floor((config.dbConnections - 1) / 2);
  const hands = await Promise.all(Array.from({ length: connections }, () => openHand(url)));
  return {
    connections,
    async play(each) {
      const start = performance.now();
      await Promise.all(
        seats.map(async (send) => {
          for (let at = 0; at < each; at++) await send();
        }),
      );
      return (senders * each * 1000) / (performance.now() - start);
    },
    async write(total) {
      const start = performance.now();
      let next = 0;
      await Promise.all(
        hands.map(async (hand) => {
          while (next < total) await hand.writeOne(next++);
        }),
      );
      return (total * 1000) / (performance.now() - start);
    },
    async close() {
      await Promise.all(hands.map(({ client }) => client.end()));
      await context.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function openHand(url: string): Promise<{ client: Client; writeOne(at: number): Promise<void> }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('SET jit = off');
  const rows = async (table: string): Promise<Row[]> =>
    (await client.query(`SELECT * FROM ${table} ORDER BY id`)).rows as Row[];
  const executions = new Map((await rows('executions')).map((row) => [row.message_id, row]));
  const events = new Map((await rows('agent_events')).map((row) => [row.message_id, row]));
  const samples = (await rows('messages')).map((message) => ({
    message,
    execution: executions.get(message.id) ?? {},
    // Its number is given by the table.
    event: without(events.get(message.id) ?? {}, 'id'),
  }));
  const [first] = samples;
  if (!first) throw new Error('there is no message to copy');
  const message = inserter(client, 'messages', first.message);
  const execution = inserter(client, 'executions', first.execution);
  const event = inserter(client, 'agent_events', first.event);
  const count = named(
    client,
    'tally',
    `INSERT INTO message_tallies (agent, box, state, shard, count)
     VALUES ($1, 'sent', 'queued', $4, 1), ($2, 'executions', '', $4, 1), ($3, 'inbox', 'queued', $4, 1)
     ON CONFLICT (agent, box, state, shard) DO UPDATE SET count = message_tallies.count + excluded.count`,
  );
  const use = named(
    client,
    'usage',
    `INSERT INTO usage_months (owner_id, month, shard, messages, executions, bytes) VALUES ($1, 0, $2, 1, 0, $3)
     ON CONFLICT (owner_id, month, shard) DO UPDATE SET messages = usage_months.messages + 1,
       bytes = usage_months.bytes + excluded.bytes`,
  );
  const writeOne = async (at: number): Promise<void> => {
    const one = samples[at % samples.length] ?? first;
    const name = randomBytes(16).toString('hex');
    const id = `msg_${name}`;
    const shard = Math.floor(Math.random() * SHARDS);
    await client.query('BEGIN');
    await message({ ...one.message, id, thread_id: id, execution_id: name });
    await execution({ ...one.execution, id: name, message_id: id });
    await count([one.message.sender, one.message.recipient_owner, one.message.recipient, shard]);
    await use([one.message.sender_owner, shard, 400]);
    await event({ ...one.event, message_id: id });
    await client.query('COMMIT');
  };
  return { client, writeOne };
}

const without = (row: Row, column: string): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== column));

/** Prepared once on its connection, as the server's statements are. */
const named =
  (client: Client, name: string, text: string) =>
  async (values: unknown[]): Promise<void> =>
    void (await client.query({ name, text, values }));

/** Inserts rows with the columns of a sample. */
function inserter(client: Client, table: string, sample: Row): (row: Row) => Promise<void> {
  const columns = Object.keys(sample);
  const places = columns.map((_, index) => `$${index + 1}`).join(', ');
  const insert = named(client, table, `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`);
  return (row) => insert(columns.map((column) => row[column]));
}
