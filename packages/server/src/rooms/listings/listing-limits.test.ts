import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { startServer } from '../../testing/start-server.ts';
import { RoomClient } from '../testing/room-client.ts';

describe('listings › limits', () => {
  test('counts listings per agent and minute, and open ones', async () => {
    const clock = new FakeClock();
    const server = await startServer({ clock, rlListingsPerAgent: 3, rlOpenListingsPerAgent: 4 });
    try {
      const agent = await new RoomClient(server).agent();
      for (let i = 0; i < 3; i++) await agent.list({ topic: 't', ttl_seconds: 90 });
      const hasty = await agent.tryList({ topic: 't' });
      expect(hasty.body).toMatchObject({ error: 'rate_limited', status: 429, retry_after_seconds: 60 });
      expect(hasty.headers['retry-after']).toBe('60');
      await clock.advance(60_000);
      await agent.list({ topic: 't' });
      const full = await agent.tryList({ topic: 't' });
      expect(full.body).toMatchObject({ error: 'rate_limited', retry_after_seconds: 30 });
      await clock.advance(30_001);
      expect((await agent.tryList({ topic: 't' })).status).toBe(201);
    } finally {
      await server.close();
    }
  });
});
