import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import { T } from './testing/base-capsule.ts';
import { type MemoryServer, startMemory } from './testing/memory.ts';

interface Frame {
  id: number;
  data: Record<string, unknown>;
}

class Stream {
  readonly frames: Frame[] = [];
  readonly closed: Promise<void>;
  #text = '';
  readonly #response: IncomingMessage;

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.on('error', () => {});
    response.on('data', (chunk: Buffer) => {
      const parts = (this.#text + chunk.toString()).split('\n\n');
      this.#text = parts.pop() ?? '';
      for (const part of parts) {
        const found = /^id: (\d+)\nevent: capsule\ndata: (.*)$/.exec(part);
        if (found)
          this.frames.push({ id: Number(found[1]), data: JSON.parse(found[2] ?? '') as Frame['data'] });
      }
    });
    this.closed = new Promise((resolve) => response.on('close', () => resolve()));
  }

  async has(count: number): Promise<void> {
    while (this.frames.length < count) await sleep(2);
  }

  end(): void {
    this.#response.destroy();
  }
}

describeEachServer('continuity › events', (start) => {
  let home: MemoryServer;
  beforeAll(async () => {
    home = await startMemory(start);
  });
  const open = (key: string, headers: Record<string, string> = {}): Promise<Stream> =>
    new Promise((resolve, reject) => {
      const options = { headers: { authorization: `Bearer ${key}`, ...headers }, agent: false as const };
      get(`${home.server.url}/v1/continuity/events`, options, (response) => {
        if (response.statusCode === 200) resolve(new Stream(response));
        else reject(new Error(String(response.statusCode)));
      }).on('error', reject);
    });

  test('what happened before, and what happens now; never what it says', async () => {
    const memory = await home.owner();
    await memory.store('user', 'a', { continuity: { open_loops: ['very private'] } });
    const stream = await open(memory.key);
    await stream.has(1);
    await memory.store('user', 'a', {}, T(2));
    await memory.call('archive', { subject_kind: 'user', subject_id: 'a', reason: 'done' });
    await stream.has(3);
    expect(
      stream.frames.map(({ data }) => [data.operation, data.subject_kind, data.subject_id, data.revision]),
    ).toEqual([
      ['upsert', 'user', 'a', 1],
      ['upsert', 'user', 'a', 2],
      ['archive', 'user', 'a', 3],
    ]);
    expect(Object.keys(stream.frames[0]?.data ?? {})).toEqual([
      'subject_kind',
      'subject_id',
      'operation',
      'path',
      'revision',
      'capsule_sha256',
      'peer_id',
    ]);
    stream.end();
    const resumed = await open(memory.key, { 'last-event-id': String(stream.frames[1]?.id) });
    await resumed.has(1);
    expect(resumed.frames.map(({ data }) => data.operation)).toEqual(['archive']);
    resumed.end();
  });

  test('of one owner only, and of what may be read only', async () => {
    const memory = await home.owner();
    const stranger = await home.owner();
    const { body } = await home.people.call<{ id: string; api_key: string }>('POST', '/v1/keys', {
      key: memory.key,
      body: { scopes: ['read:files'], read_namespaces: ['memory/continuity/user-b.json'] },
    });
    const theirs = await open(stranger.key);
    const narrow = await open(body.api_key);
    await memory.store('user', 'a');
    await memory.store('user', 'b');
    await narrow.has(1);
    await stranger.store('user', 'z');
    await theirs.has(1);
    expect(narrow.frames.map(({ data }) => data.subject_id)).toEqual(['b']);
    expect(theirs.frames.map(({ data }) => data.subject_id)).toEqual(['z']);
    theirs.end();
    await home.people.call('DELETE', `/v1/keys/${body.id}`, { key: memory.key });
    await narrow.closed;
  });

  test('needs the scope to read', async () => {
    const memory = await home.owner();
    const { body } = await home.people.call<{ api_key: string }>('POST', '/v1/keys', {
      key: memory.key,
      body: { scopes: ['write:projects'] },
    });
    await expect(open(body.api_key)).rejects.toThrow('403');
    const asked = await home.people.call('HEAD', '/v1/continuity/events', { key: memory.key });
    expect(asked.status).toBe(200);
  });
});
