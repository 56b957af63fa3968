import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { People } from '../../identity/testing/people.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { startServer } from '../../testing/start-server.ts';
import { AgentClient } from '../testing/agent-client.ts';

test('live sessions › one that fell silent while the server was down is detached by the next', async () => {
  const clock = new FakeClock();
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-restart-'));
  const first = await startServer({ clock, dataDir });
  const before = await AgentClient.register(first, 'max@example.com');
  await before.create({ slug: 'app' });
  await before.attach('app', { session_token: 'token' });
  await first.close();
  await clock.advance(901_000);
  const second = await startServer({ clock, dataDir });
  const after = new AgentClient(new People(second), before.owner);
  await expect.poll(async () => (await after.read('app')).body.live_attached).toBe(false);
  await second.close();
  rmSync(dataDir, { recursive: true, force: true });
});
