import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hashSecret } from '../../platform/auth/secrets.ts';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { People } from '../testing/people.ts';
import { createInvite } from '../owners/invites.ts';

describeEachServer('identity › secrecy', (start, dialect) => {
  test('keeps every secret out of the store, the log and later answers', async () => {
    const server = await start({ registration: 'invite', logLevel: 'debug', rateLimits: false });
    const { identity, database, config } = server.context;
    const people = new People(server);
    const later: string[] = [];
    const invites = [identity.startInvite ?? '', (await createInvite(identity)).code];

    const owner = await people.call<Record<string, string>>('POST', '/v1/auth/register', {
      body: { email: 'max@example.com', invite: invites[0] },
    });
    const agent = await people.call<Record<string, string>>('POST', '/v1/agent/register', {
      body: { name: 'scout', invite: invites[1] },
    });
    const [ownerKey, agentKey] = [owner.body.api_key ?? '', agent.body.api_key ?? ''];
    const session = await people.login(agentKey);
    const made = await people.call<Record<string, string>>('POST', '/v1/keys', { key: ownerKey, body: {} });
    const webhook = await people.call<Record<string, string>>('GET', '/v1/auth/webhook-secret', {
      key: ownerKey,
    });
    const rotated = await people.call<Record<string, string>>('POST', '/v1/agent/keys/rotate', {
      key: session,
    });
    for (const [path, key] of [
      ['/v1/keys', ownerKey],
      ['/v1/auth/me', ownerKey],
      ['/v1/whoami', session],
    ] as const) {
      later.push((await people.call('GET', path, { key })).text);
    }
    for (const key of [ownerKey, agentKey, session])
      await people.call('DELETE', `/v1/keys/${key}`, { key: ownerKey });
    await people.call('GET', `/v1/nothing?token=${session}&api_key=${ownerKey}`, { key: ownerKey });

    const keys = [ownerKey, agentKey, session, made.body.api_key ?? '', rotated.body.api_key ?? ''];
    const secrets = [...keys, ...invites, webhook.body.webhook_secret ?? ''];
    for (const secret of secrets) expect(secret.length).toBeGreaterThan(27);
    for (const secret of secrets) {
      expect(server.rawLog()).not.toContain(secret);
      for (const text of later) expect(text).not.toContain(secret);
    }

    const stored = await storedText();
    for (const key of keys) expect(stored.includes(hashSecret(key))).toBe(true);
    // The first twelve characters are shown in lists, so they are kept.
    for (const secret of secrets) expect(stored.includes(secret.slice(12))).toBe(false);

    async function storedText(): Promise<string> {
      if (dialect === 'sqlite') {
        const files = readdirSync(config.dataDir).filter((file) => file.startsWith('parley.db'));
        expect(files.length).toBeGreaterThan(0);
        return files.map((file) => readFileSync(join(config.dataDir, file), 'latin1')).join();
      }
      const { read } = database;
      const rows = await Promise.all([
        read.all(sql`SELECT * FROM owners`),
        read.all(sql`SELECT * FROM agents`),
        read.all(sql`SELECT * FROM api_keys`),
        read.all(sql`SELECT * FROM sessions`),
        read.all(sql`SELECT * FROM invites`),
      ]);
      return JSON.stringify(rows);
    }
  });
});
