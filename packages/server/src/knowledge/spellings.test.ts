import { MANAGED_FOLDERS } from '@parley/protocol/knowledge/vocabulary';
import { expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import type { Answer } from '../testing/http-client.ts';
import { type Library, startLibrary } from './testing/library.ts';
import { type Seeded, seeded } from './testing/seeded.ts';

/** In everything that must not be seen. */
const SECRET = 'osprey-at-noon';
const PATHS = 150;

const hex = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const wide = (text: string): string =>
  text.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0));

const SEGMENT_SPELLINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text.charAt(0).toUpperCase() + text.slice(1),
  wide,
  hex,
  (text) => hex(hex(text)),
  (text) => `${text.slice(0, 2)}\u200b${text.slice(2)}`,
  (text) => `${text}.`,
  (text) => `${text} `,
  (text) => text.replace(/i/g, '\u0131').replace(/s/g, '\u017f').replace(/k/g, '\u212a'),
  (text) => text.normalize('NFD').replace(/o/g, 'o\u0300'),
  (text) => `${text}\0`,
  (text) => `${text}::$DATA`,
];
const BETWEEN = ['/', '/', '//', '/./', '\\', '%2f', '%252F', '%5c', '\u2215', '/.//'];
const BEFORE = [
  '',
  '',
  './',
  '/',
  '//',
  'projects/../',
  'projects/%2e%2e/',
  'projects/..%2f',
  'projects/．．/',
  'projects/.. /',
  'docs/a/../../',
  'file:///',
  'C:\\',
  '~/',
];

function spelled(random: Seeded, path: string): string {
  const between = random.pick(BETWEEN);
  return (
    random.pick(BEFORE) +
    path
      .split('/')
      .map((each) => random.pick(SEGMENT_SPELLINGS)(each))
      .join(between)
  );
}

/** As it stands in the address: as it is where that can be sent, encoded once, or once more. */
function inQuery(random: Seeded, path: string): string {
  const once = encodeURIComponent(path);
  return random.pick([
    once,
    once,
    encodeURIComponent(once),
    /^[!-~]*$/.test(path) ? path.replaceAll('#', '') : once,
  ]);
}

describeEachServer('knowledge › every spelling of a path', (start) => {
  test('leads neither to what the server keeps nor to what others keep', async () => {
    const home = await startLibrary(start, { logLevel: 'error' });
    const other = await home.library();
    await other.put('projects/plan.md', SECRET);
    await other.put('memory/core/values.md', SECRET);
    const own = await home.library();
    const targets = [...(await planted(own)), `${other.memory.ownerId}/projects/plan.md`, 'projects/plan.md'];
    const narrow = await own.lesser({
      read_namespaces: ['projects/open', 'memory', 'config', 'logs', 'peers', 'index', 'tasks'],
      write_namespaces: ['projects/open', 'memory', 'config', 'logs', 'peers', 'index', 'tasks'],
    });
    const random = seeded(30);
    for (let round = 0; round < PATHS; round += 1) {
      const target = random.pick(targets);
      const path = spelled(random, target);
      const caller = target.startsWith('projects/private') ? narrow : random.pick([own, narrow]);
      const read = await caller.call('GET', `/v1/read?path=${inQuery(random, path)}`);
      expect([path, [400, 403, 404].includes(read.status)]).toEqual([path, true]);
      expect([path, read.text.includes(SECRET)]).toEqual([path, false]);
      const write = random.pick([
        { to: '/v1/write', body: { path, content: 'mine' } },
        { to: '/v1/append', body: { path, record: { mine: 1 } } },
      ]);
      requireHarmless(path, await caller.post<{ path: string }>(write.to, write.body), caller === narrow);
    }
    expect((await own.read('projects/private/plan.md')).body.content).toBe(SECRET);
    expect((await other.read('projects/plan.md')).body.content).toBe(SECRET);
    const { text } = await own.call('GET', '/v1/coordination/handoffs/query', {
      query: { sender_peer: 'self' },
    });
    expect(text).toContain(SECRET);
  });
});

/** Something secret in every place the server keeps; and the paths that it would have as a file. */
async function planted(own: Library): Promise<string[]> {
  await own.memory.store('thread', 'th1');
  await own.put('projects/private/plan.md', SECRET);
  const selector = { subject_kind: 'thread', subject_id: 'th1' };
  const { body } = await own.post<{ path: string }>('/v1/coordination/handoff/create', {
    recipient_peer: 'self',
    ...selector,
    note: SECRET,
  });
  await own.post('/v1/schedule/items', { kind: 'reminder', title: SECRET, due_at: '2030-01-01T00:00:00Z' });
  await own.post('/v1/peers/register', { peer_id: 'p', base_url: `https://${SECRET}` });
  return [
    body.path,
    'memory/schedule/schedule.db',
    'memory/schedule/items/x.json',
    'peers/registry.json',
    'config/peer_tokens.json',
    'logs/api_audit.jsonl',
    'index/files.json',
    'backups/parley.db',
    'parley.db',
    'projects/private/plan.md',
  ];
}

/** Refused; or kept under a name that no program takes for one of the server's, nor for one out of bounds. */
function requireHarmless(path: string, { status, body }: Answer<{ path: string }>, isNarrow: boolean): void {
  if (status !== 200) {
    expect([path, [400, 403, 409, 413, 422].includes(status)]).toEqual([path, true]);
    return;
  }
  const plain = body.path.normalize('NFKC').toLowerCase();
  const kept = MANAGED_FOLDERS.filter((folder) => plain === folder || plain.startsWith(`${folder}/`));
  expect([path, kept]).toEqual([path, []]);
  if (isNarrow) expect(body.path).toMatch(/^(?:projects\/open|memory)\//);
}
