import { describe, expect, test } from 'vitest';
import { MessageClient } from '../../delivery/testing/message-client.ts';
import { startServer } from '../../testing/start-server.ts';
import { hidesName, mayHideName } from './route-table.ts';

describe('a member named __proto__', () => {
  test.each([
    ['{"__proto__":1}', true],
    ['{"a":[{"b":{"__proto__":{}}}]}', true],
    ['{"\\u005f_proto__":1}', true],
    ['{"__\\u0070roto__":1}', true],
    ['{"a":"__proto__"}', false],
    ['{"proto":1}', false],
  ])('%s', (json, hides) => {
    expect(mayHideName(json) && hidesName(JSON.parse(json))).toBe(hides);
  });

  test('is refused in metadata, never lost', async () => {
    const server = await startServer({ rateLimits: false });
    try {
      const max = await MessageClient.register(server);
      await max.create({ slug: 'a' });
      const sent = (metadata: string) =>
        max.call('POST', '/v1/messages', { body: `{"to":"a","body":"x","metadata":${metadata}}` });
      const refused = await sent('{"__proto__":{"polluted":true},"kept":1}');
      expect([refused.status, refused.body.error.message]).toEqual([
        422,
        'body: no object may have a member named __proto__',
      ]);
      const kept = await sent('{"note":"__proto__","constructor":1}');
      expect(kept.status).toBe(201);
      expect(kept.body).toMatchObject({ metadata: { note: '__proto__', constructor: 1 } });
    } finally {
      await server.close();
    }
  });
});
