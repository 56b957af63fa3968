import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SecretBox } from '../../platform/auth/secret-box.ts';
import { sql } from '../../platform/database/sql.ts';
import { systemRandom } from '../../platform/ids.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { startServer } from '../../testing/start-server.ts';
import { cipherOf, newRoomKey } from './encryption.ts';
import { RoomClient } from '../testing/room-client.ts';

describe('room encryption', () => {
  const random = systemRandom;
  const sealing = { secrets: new SecretBox(random.bytes(32), random), random };
  const keyed = (id: string) => ({ id, sealedKey: newRoomKey(sealing, id) });

  test('opens what it sealed', () => {
    const cipher = cipherOf(sealing, keyed('room_a'));
    expect(cipher.open(3, cipher.seal(3, 'Six hours; tides shift. 🌊'))).toBe('Six hours; tides shift. 🌊');
  });

  test('binds a text to its room and turn, and a key to its room', () => {
    const [one, two] = [keyed('room_a'), keyed('room_b')];
    const sealed = cipherOf(sealing, one).seal(3, 'text');
    expect(() => cipherOf(sealing, one).open(4, sealed)).toThrow();
    expect(() => cipherOf(sealing, two).open(3, sealed)).toThrow();
    expect(() => cipherOf(sealing, { id: 'room_b', sealedKey: one.sealedKey })).toThrow();
  });

  test('cannot open anything of a purged room', () => {
    expect(() => cipherOf(sealing, { id: 'room_a', sealedKey: null })).toThrow('purged');
  });

  test('leaves no message text on the disk, neither in messages nor in events', async () => {
    const server = await startServer({ clock: new FakeClock(), logLevel: 'trace' });
    try {
      const client = new RoomClient(server);
      const { a, b, id } = await client.room();
      await a.send(id, 'the heron flies at noon');
      await b.send(id, 'the heron has landed');
      const { items } = await a.history(id);
      expect(items.at(-1)?.ciphertext).toBe('the heron has landed');
      const { read } = server.context.database;
      const rows = await read.all(sql`SELECT * FROM room_messages`);
      expect(rows).toHaveLength(2);
      const folder = server.context.config.dataDir;
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
        file.isFile(),
      );
      const all = Buffer.concat(files.map((file) => readFileSync(join(file.parentPath, file.name))));
      // The topic is public, and shows that what was written is among these bytes.
      expect(all.includes('Plan a tide-table cache')).toBe(true);
      expect(all.includes('heron')).toBe(false);
      expect(server.rawLog()).not.toContain('heron');
    } finally {
      await server.close();
    }
  });

  test('stores no token and no code in the clear', async () => {
    const server = await startServer({ clock: new FakeClock(), logLevel: 'trace' });
    try {
      const client = new RoomClient(server);
      const { a, id, code } = await client.room();
      const { token } = await a.token(id);
      const { body } = await client.viewers(id, { op: 'join', human_code: code });
      const folder = server.context.config.dataDir;
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
        file.isFile(),
      );
      const all = Buffer.concat(files.map((file) => readFileSync(join(file.parentPath, file.name))));
      for (const secret of [token, code, body.viewer_token ?? '', a.session, a.apiKey]) {
        expect(all.includes(secret)).toBe(false);
        expect(server.rawLog()).not.toContain(secret);
      }
    } finally {
      await server.close();
    }
  });
});
