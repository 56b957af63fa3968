import * as routes from '@parley/protocol/identity/routes';
import type { keyList, madeKey } from '@parley/protocol/identity/schemas';
import type { z } from 'zod';
import { tell, withCalls } from '../calling.ts';
import { type Column, showTable } from '../memory/table.ts';
import { moment } from '../memory/words.ts';
import { printJson, printNote, printTold } from '../output.ts';
import { theOne } from '../the-one.ts';
import { instantFrom } from '../when.ts';
import type { ServerOptions } from '../with-server.ts';

type KeyList = z.infer<typeof keyList>;

const COLUMNS: readonly Column[] = [
  { title: 'KEY', rank: 0 },
  { title: 'BEGINS', rank: 1 },
  { title: 'AGENT', rank: 2 },
  { title: 'USED', rank: 4 },
  { title: 'ENDS', rank: 5 },
  { title: 'LABEL', rank: 3, least: 12 },
];

export async function listKeys(options: ServerOptions): Promise<void> {
  await withCalls(options, async (caller) => {
    const { keys } = await caller.call<KeyList>(routes.listKeys, { query: { limit: 100 } });
    tell(keys, options, (page) => {
      if (keys.length === 0) return page.aside('No keys.');
      showTable(
        page,
        COLUMNS,
        keys.map((key) => ({
          cells: [
            { text: key.id },
            { text: key.prefix },
            { text: key.agent ?? '' },
            moment(key.last_used_at),
            moment(key.expires_at),
            { text: key.label ?? '' },
          ],
        })),
      );
    });
  });
}

export interface CreateKeyOptions extends ServerOptions {
  agent?: string | undefined;
  label?: string | undefined;
  scope?: string[] | undefined;
  expires?: string | undefined;
}

/** The key goes to standard output alone, so that it can be handed on with a pipe. */
export async function createKey(options: CreateKeyOptions): Promise<void> {
  const { agent, label, scope: scopes, expires } = options;
  const body = { agent, label, scopes, expires_at: expires === undefined ? undefined : instantFrom(expires) };
  await withCalls(options, async (caller) => {
    const made = await caller.call<z.infer<typeof madeKey>>(routes.createKey, { body });
    if (options.json) return printJson(made);
    printTold(made.api_key);
    printNote(`${made.id}; it is shown this once`);
  });
}

export async function revokeKey(said: string, options: ServerOptions): Promise<void> {
  await withCalls(options, async (caller) => {
    const { keys } = await caller.call<KeyList>(routes.listKeys, { query: { limit: 100 } });
    const { id } = theOne(said, {
      noun: 'key',
      among: keys,
      idOf: (key) => key.id,
      hint: '"parley agent keys list" shows them',
    });
    await caller.call(routes.revokeKey, { path: [id] });
    if (options.json) printJson({ id, revoked: true });
    else printTold(`revoked ${id}`);
  });
}
