import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageCreate } from '@parley/protocol/delivery/requests/message-schemas';
import type { MessageCreate } from '@parley/protocol/delivery/types';
import { loadConfig } from '@parley/server/config/load';
import { createContext } from '@parley/server/context';
import type { Caller } from '@parley/server/wire/caller';
import type { SqliteHandle } from '@parley/server/platform/database/sqlite/binding';
import { createLog } from '@parley/server/platform/log';
import { copyStore, inBatches, insertInto, type Row, type WriteByHand } from './by-hand.ts';
import { sendMessage } from '@parley/server/delivery/messages/sending';
import { registerAgent } from '@parley/server/identity/owners/registration';

interface Seat {
  readonly caller: Caller;
  readonly body: MessageCreate;
}

/** Senders of the real service on a temporary SQLite store, and a copy of that store to write to by hand. */
export interface MailTable {
  /** Every sender sends so many, one after the other; returns accepted messages per second. */
  play(each: number): Promise<number>;
  /** Writes the rows of as many messages, so many in a transaction; returns messages per second. */
  readonly write: WriteByHand;
  close(): Promise<void>;
}

export async function setMailTable(senders: number, text: string): Promise<MailTable> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const { config } = loadConfig({ cwd: dataDir });
  const log = createLog({ level: 'error', secretPrefixes: [], stream: { write: () => undefined } });
  const context = await createContext({ ...config, dataDir, rateLimits: false }, { log });
  const { identity } = context;
  const { messaging } = context.delivery;
  const seats: Seat[] = [];
  for (let at = 0; at < senders; at++) {
    const { apiKey } = await registerAgent(identity, `sender ${at}`);
    const caller = await identity.authenticate(apiKey);
    if (!caller?.agent) throw new Error('a key that was just made is not known');
    seats.push({ caller, body: messageCreate.parse({ to: caller.agent.slug, body: text }) });
  }
  const send = ({ caller, body }: Seat) =>
    sendMessage(messaging, caller, { body, from: undefined, idempotencyKey: undefined });
  for (const seat of seats) await send(seat);

  const hand = copyStore(dataDir);
  return {
    async play(each) {
      const start = performance.now();
      await Promise.all(
        seats.map(async (seat) => {
          for (let at = 0; at < each; at++) await send(seat);
        }),
      );
      return (senders * each * 1000) / (performance.now() - start);
    },
    write: writeMessages(hand),
    async close() {
      hand.close();
      await context.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Every row that a message inserts or changes, with prepared statements and nothing else around them. */
export function writeMessages(handle: SqliteHandle): WriteByHand {
  const samples = handle.prepare('SELECT * FROM messages ORDER BY rowid').all() as Row[];
  const executionOf = handle.prepare('SELECT * FROM executions WHERE id = ?');
  const messages = samples.map((message) => ({
    message,
    execution: executionOf.get(message.execution_id ?? '') as Row,
  }));
  const [first] = messages;
  if (!first) throw new Error('there is no message to copy');
  const insertMessage = insertInto(handle, 'messages', first.message);
  const insertExecution = insertInto(handle, 'executions', first.execution);
  const count = handle.prepare(`
    INSERT INTO message_tallies (agent, box, state, shard, count)
    VALUES (?, 'sent', 'queued', 0, 1), (?, 'executions', '', 0, 1), (?, 'inbox', 'queued', 0, 1)
    ON CONFLICT (agent, box, state, shard) DO UPDATE SET count = message_tallies.count + excluded.count`);
  const use = handle.prepare(`
    INSERT INTO usage_months (owner_id, month, shard, messages, executions) VALUES (?, 0, 0, 1, 0)
    ON CONFLICT (owner_id, month, shard) DO UPDATE SET messages = usage_months.messages + 1`);

  const writeOne = ({ message, execution }: (typeof messages)[number], name: string): void => {
    const ids = { id: `msg_${name}`, thread_id: `msg_${name}`, execution_id: name };
    insertMessage({ ...message, ...ids });
    insertExecution({ ...execution, id: name, message_id: ids.id });
    count.run(message.sender ?? '', message.recipient_owner ?? '', message.recipient ?? '');
    use.run(message.sender_owner ?? '');
  };
  return (total, batch) => {
    const names = Array.from({ length: total }, () => randomBytes(16).toString('hex'));
    const run = inBatches(handle, (at) => writeOne(messages[at % messages.length] ?? first, names[at] ?? ''));
    return run(total, batch);
  };
}
