import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@parley/server/config/load';
import { createLog } from '@parley/server/platform/log';
import { startParley } from '@parley/server/server';
import type { BenchServer } from '../both-stores.ts';
import { Connection } from '../connection.ts';
import { createAgent, json, type MailOwner, registerOwner, sendRequest } from '../mail.ts';
import { learn, multiply, nameOf, storeBytes } from './multiply.ts';

/** Of the messages of a store, so many are of one agent. */
const PER_AGENT = 100;

/** A server in this process whose store is filled from within. */
export interface GrownStore {
  readonly dataDir: string;
  readonly server: BenchServer;
  readonly connection: Connection;
  readonly owner: MailOwner;
  close(): Promise<void>;
}

export async function openGrownStore(
  databaseUrl?: string,
  dataDir = mkdtempSync(join(tmpdir(), 'parley-scale-')),
): Promise<GrownStore> {
  const { config } = loadConfig({ cwd: dataDir });
  const log = createLog({ level: 'error', secretPrefixes: [], stream: { write: () => undefined } });
  const settings = { ...config, port: 0, dataDir, databaseUrl, rateLimits: false, budgetDocuments: 0 };
  const server = await startParley(settings, { log });
  const connection = await Connection.open(server.url);
  const owner = await registerOwner(connection);
  await createAgent(connection, owner, { slug: 'box' });
  return {
    dataDir,
    server,
    connection,
    owner,
    async close() {
      connection.close();
      await server.stop();
    },
  };
}

export const removeStore = ({ dataDir }: GrownStore): void =>
  rmSync(dataDir, { recursive: true, force: true });

/** Agents with a key each, of accounts of a hundred; returns the bytes that one takes. */
export async function addAgents({ server }: GrownStore, count: number): Promise<number> {
  const { database } = server.context;
  const name = nameOf(database);
  const owner = `'own_' || ${nameOf(database, `n / ${PER_AGENT}`)}`;
  const before = await storeBytes(database);
  const owners = { table: 'owners', template: "id NOT LIKE 'own\\_%' ESCAPE '\\'" };
  await multiply(
    database,
    {
      ...owners,
      replaced: {
        id: `'own_' || ${name}`,
        slug: `'o' || ${name}`,
        email: `${name} || '@example.com'`,
        email_key: `${name} || '@example.com'`,
      },
    },
    -1,
    Math.ceil(count / PER_AGENT),
  );
  const agent = "slug = 'box'";
  await multiply(
    database,
    {
      table: 'agents',
      template: agent,
      replaced: { suffix: name, owner_id: owner, slug: `'a' || ${name}` },
    },
    0,
    count,
  );
  const delivery = `agent = (SELECT suffix FROM agents WHERE ${agent})`;
  await multiply(
    database,
    { table: 'agent_delivery', template: delivery, replaced: { agent: name, owner_id: owner } },
    0,
    count,
  );
  const key = { id: `'key_' || ${name}`, hash: `'h' || ${name}`, agent_suffix: name, owner_id: owner };
  await multiply(
    database,
    { table: 'api_keys', template: "id NOT LIKE 'key\\_0%' ESCAPE '\\'", replaced: key },
    0,
    count,
  );
  await learn(database);
  return ((await storeBytes(database)) - before) / count;
}

const time = (column: string): string => `t.${column} - n`;

/** Messages that were taken over long ago, a hundred for each of as many agents; returns the bytes that one takes. */
export async function addMessages(store: GrownStore, count: number, text: string): Promise<number> {
  const { server, connection, owner } = store;
  const { database } = server.context;
  await json(connection.request(sendRequest(owner, { to: 'box', body: text })));
  const before = await storeBytes(database);
  const name = nameOf(database);
  const id = `'msg_' || ${name}`;
  const agent = nameOf(database, `n / ${PER_AGENT}`);
  await multiply(
    database,
    {
      table: 'messages',
      template: 'true',
      replaced: {
        id,
        thread_id: id,
        execution_id: `'e' || ${name}`,
        sender: agent,
        recipient: agent,
        sender_owner: `'own_' || ${agent}`,
        recipient_owner: `'own_' || ${agent}`,
        state: "'acked'",
        created_at: time('created_at'),
        updated_at: time('updated_at'),
      },
    },
    0,
    count,
  );
  await multiply(
    database,
    {
      table: 'executions',
      template: 'true',
      replaced: {
        id: `'e' || ${name}`,
        message_id: id,
        agent,
        owner_id: `'own_' || ${agent}`,
        status: "'success'",
        created_at: time('created_at'),
        updated_at: time('updated_at'),
      },
    },
    0,
    count,
  );
  await multiply(
    database,
    { table: 'agent_events', template: 'true', replaced: { agent, message_id: id } },
    0,
    count,
  );
  await learn(database);
  return ((await storeBytes(database)) - before) / count;
}
