import { expect, test } from 'vitest';
import { People } from '../identity/testing/people.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { McpClient, META } from './testing/mcp-client.ts';

/** More than are indexed at once. */
const FILES = 60;
const STREAM = { accept: 'application/json, text/event-stream' };

const messagesIn = (text: string): Record<string, unknown>[] =>
  [...text.matchAll(/^event: message\ndata: (.*)\n\n/gm)].map(
    ([, data = '']) => JSON.parse(data) as Record<string, unknown>,
  );

const notification = (token: unknown, progress: number, total: number): object => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: token, progress, total },
});

describeEachServer('mcp › progress', (start) => {
  test('of a rebuild is told to whoever asks for it, before the answer', async () => {
    const server = await start({ rateLimits: false });
    const people = new People(server);
    const { key } = await people.owner();
    for (let n = 0; n < FILES; n += 1) {
      const body = { path: `docs/n${n}.md`, content: `tide ${n}` };
      expect((await people.call('POST', '/v1/write', { key, body })).status).toBe(200);
    }
    const client = new McpClient(server, key);
    const rebuild = { name: 'index.rebuild_full', arguments: {} };

    const told = await client.legacy('tools/call', { ...rebuild, _meta: { progressToken: 'p1' } }, STREAM);
    expect([told.status, told.headers['content-type']]).toEqual([
      200,
      expect.stringMatching(/^text\/event-stream/),
    ]);
    const answer = { jsonrpc: '2.0', id: 1, result: { structuredContent: { ok: true, file_count: FILES } } };
    expect(messagesIn(told.text)).toMatchObject([
      notification('p1', 50, FILES),
      notification('p1', FILES, FILES),
      answer,
    ]);

    // Only what changed since.
    await people.call('POST', '/v1/write', { key, body: { path: 'docs/n0.md', content: 'ebb' } });
    const changed = { name: 'index.rebuild_incremental', arguments: {} };
    const asked = { ...changed, _meta: { ...META, progressToken: 7 } };
    const again = await client.modern('tools/call', asked, STREAM);
    expect(messagesIn(again.text)).toMatchObject([
      notification(7, 1, 1),
      { ...answer, result: { ...answer.result, resultType: 'complete' } },
    ]);

    // Nothing to tell, nobody who asked, and nobody who takes a stream: one answer, as ever.
    for (const [params, headers] of [
      [{ ...changed, _meta: { progressToken: 1 } }, STREAM],
      [{ ...rebuild, _meta: {} }, STREAM],
      [{ ...rebuild, _meta: { progressToken: 1 } }, { accept: 'application/json' }],
      [{ ...rebuild, _meta: { progressToken: {} } }, STREAM],
    ] as const) {
      const { headers: got, body } = await client.legacy('tools/call', params, headers);
      expect(got['content-type']).toMatch(/^application\/json/);
      expect(body).toMatchObject({ ...answer, result: { isError: false } });
    }
  });
});
