import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { People } from '@parley/server/identity/testing/people';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runHere } from '../testing/run-here.ts';
import type { Finished } from '../testing/run-parley.ts';

const CAPSULE = {
  confidence: { continuity: 0.9, relationship_model: 0.5 },
  continuity: {
    top_priorities: ['ship the cache'],
    active_concerns: [],
    active_constraints: ['no new dependencies'],
    open_loops: [],
    stance_summary: 'Six hours.',
    drift_signals: [],
    related_documents: [{ path: 'docs/tides.md', kind: 'note', label: 'Tides' }],
  },
};

describe('parley doc, task, memory write', () => {
  let server: TestServer;
  let people: People;
  let home: string;
  let capsule: string;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    people = new People(server);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    if (home) rmSync(home, { recursive: true, force: true });
    home = mkdtempSync(join(tmpdir(), 'parley-doc-'));
    capsule = join(home, 'capsule.json');
    writeFileSync(capsule, JSON.stringify(CAPSULE));
    const { key } = await people.agent();
    expect((await run(['agent', 'login', '--stdin'], key)).code).toBe(0);
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const run = (words: readonly string[], input = ''): Promise<Finished> =>
    runHere(words, input, { PARLEY_URL: server.url, HOME: home });
  const done = async (words: readonly string[], input = ''): Promise<string> => {
    const { code, stdout, stderr } = await run(words, input);
    expect([words, code, stderr]).toEqual([words, 0, stderr]);
    return stdout;
  };
  const failed = async (words: readonly string[], input = ''): Promise<[number | null, string]> => {
    const { code, stdout, stderr } = await run(words, input);
    expect(stdout).toBe('');
    return [code, stderr];
  };

  test('a text is stored by argument, by standard input or from a file, and read back to the last byte', async () => {
    expect(await done(['doc', 'write', 'docs/a.md', 'one'])).toBe('stored docs/a.md\n');
    expect(await done(['doc', 'write', 'docs/a.md', 'one'])).toBe('docs/a.md said that already\n');
    const text = 'größe\n\n\ttab \u001b[31m no end';
    await done(['doc', 'write', 'docs/a.md'], text);
    expect(await done(['doc', 'read', 'docs/a.md'])).toBe(text);
    await done(['doc', 'write', 'docs/a.md', '--file', capsule]);
    expect(await done(['doc', 'read', 'docs/a.md'])).toBe(readFileSync(capsule, 'utf8'));
    expect(JSON.parse(await done(['doc', 'read', 'docs/a.md', '--json']))).toMatchObject({
      path: 'docs/a.md',
    });
    await done(['doc', 'append', 'journal/l.jsonl', '{"a":1}']);
    await done(['doc', 'append', 'journal/l.jsonl', '-'], '{"a":2}\n');
    expect(await done(['doc', 'read', 'journal/l.jsonl'])).toBe('{"a":1}\n{"a":2}\n');
  });

  test('a text that was left out empties nothing', async () => {
    await done(['doc', 'write', 'docs/kept.md', 'kept']);
    for (const words of [
      ['doc', 'write', 'docs/kept.md'],
      ['doc', 'write', 'docs/kept.md', '-'],
    ]) {
      const [code, said] = await failed(words);
      expect([code, said]).toEqual([2, expect.stringContaining('there is no text on standard input')]);
    }
    expect(await done(['doc', 'read', 'docs/kept.md'])).toBe('kept');
    await done(['doc', 'write', 'docs/kept.md', '']);
    expect(await done(['doc', 'read', 'docs/kept.md'])).toBe('');
  });

  test('a path that no key could write to is not told as a missing right', async () => {
    for (const [path, hint] of [
      ['projects/../x.md', 'a path is relative'],
      ['config/x.json', 'have commands of their own'],
    ] as const) {
      const [code, said] = await failed(['doc', 'write', path, 'x']);
      expect([code, said.includes(hint), said.includes('right')]).toEqual([4, true, false]);
    }
  });

  test('what goes wrong is told with its exit code', async () => {
    expect(await failed(['doc', 'read', 'docs/none.md'])).toEqual([
      3,
      expect.stringContaining('File not found'),
    ]);
    expect(await failed(['doc', 'write', '../x', 'y'])).toEqual([4, expect.stringContaining('Invalid path')]);
    expect(await failed(['doc', 'write', 'bogus/x', 'y'])).toEqual([
      2,
      expect.stringContaining('not allowed'),
    ]);
    expect(await failed(['doc', 'write', 'docs/x', 'y', '--file', capsule])).toEqual([
      2,
      expect.stringContaining('given twice'),
    ]);
    expect(await failed(['doc', 'write', 'docs/x', '--file', join(home, 'none')])).toEqual([
      2,
      expect.stringContaining('cannot be read'),
    ]);
    for (const record of ['{bad', '[1]', '5']) {
      expect((await failed(['doc', 'append', 'docs/x.jsonl', record]))[0]).toBe(2);
    }
    expect((await failed(['task', 'show', 'none']))[0]).toBe(3);
    await done(['task', 'add', 'measure', 'Measure it']);
    await done(['task', 'done', 'measure']);
    expect((await failed(['task', 'add', 'measure', 'x']))[0]).toBe(5);
    expect((await failed(['task', 'start', 'measure']))[0]).toBe(5);
    expect((await failed(['task', 'change', 'measure']))[0]).toBe(2);
    expect((await failed(['memory', 'patch', 'thread/x', '--append', 'nothing=x']))[0]).toBe(2);
    expect((await failed(['memory', 'patch', 'thread/x', '--append', 'open_loops=x']))[0]).toBe(3);
    expect((await failed(['memory', 'write', 'thread/x'], '[]'))[0]).toBe(2);
    expect((await failed(['memory', 'retrieve', 'x', '--mode', 'required']))[0]).toBe(3);
  });

  test('documents are found once there is an index', async () => {
    await done(['doc', 'write', 'docs/tides.md', 'Cache tide tables. Enough?']);
    const before = await run(['doc', 'search', 'tide']);
    expect([before.code, before.stdout]).toEqual([0, '']);
    expect(before.stderr).toContain('"parley doc index" makes it');
    expect(await done(['doc', 'index', '--status'])).toContain('no index yet');
    expect(await done(['doc', 'index'])).toBe('1 documents and tasks can be found\n');
    await done(['doc', 'write', 'journal/x.md', 'tide']);
    const rows = (await done(['doc', 'search', 'tide', 'tables'])).trimEnd().split('\n');
    expect(rows.map((row) => row.split('\t').slice(0, 3))).toEqual([
      ['4', 'docs/tides.md', 'docs'],
      ['1', 'journal/x.md', 'journal'],
    ]);
    const json = await done(['doc', 'search', 'tide', '--type', 'journal', '--json']);
    expect(JSON.parse(json)).toMatchObject({ path: 'journal/x.md', score: 1 });
    expect((await done(['doc', 'list', '--limit', '1', '--hours', '1'])).split('\n')).toHaveLength(2);
    expect(await done(['doc', 'recent', '--days', '1'])).toContain('docs/tides.md');
  });

  test('a key that may search and no more finds nothing, and is not told of an index that it may not ask for', async () => {
    const { key: owner } = await people.owner();
    const key = await people.peer(owner, 'finder', { scopes: ['search'] });
    expect((await run(['agent', 'login', '--stdin'], key)).code).toBe(0);
    const found = await run(['doc', 'search', 'tide']);
    expect(found).toMatchObject({ code: 0, stdout: '', stderr: 'parley: Nothing found.\n' });
  });

  test('tasks go their way, and the graph shows what they wait for', async () => {
    await done([
      'task',
      'add',
      'measure',
      'Measure it',
      '--thread',
      'th',
      '--blocked-by',
      'deploy',
      '--with',
      'bo',
    ]);
    await done(['task', 'start', 'meas']);
    expect(await done(['task', 'list', '--thread', 'th'])).toMatch(
      /^measure\tin_progress\t\S+\tth\t\S+Z\tdeploy\tMeasure it\n$/,
    );
    expect(await done(['task', 'show', 'measure'])).toContain('Waits for  deploy');
    expect(JSON.parse(await done(['task', 'list', '--json']))).toMatchObject({ task_id: 'measure' });
    expect(await done(['memory', 'graph', 'task/measure'])).toBe(
      'depends_on\ttask:measure\ttask:deploy\nlinked_to_thread\ttask:measure\tthread:th\n',
    );
    const graph: unknown = JSON.parse(await done(['memory', 'graph', 'thread', 'th', '--json']));
    expect(graph).toMatchObject({ anchor: { id: 'thread:th' }, edges: [{ source_id: 'task:measure' }] });
    const unknown = await run(['memory', 'graph', 'thread/none']);
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining('was not found')]);
    await done(['task', 'change', 'measure', '--status', 'done', '--title', 'Measured']);
    expect(await done(['task', 'list', '--status', 'done'])).toContain('Measured');
  });

  test('a capsule is written, patched, rehearsed, restored and retrieved', async () => {
    expect(await done(['memory', 'write', 'thread/th'], JSON.stringify(CAPSULE))).toBe('created thread/th\n');
    const shown: unknown = JSON.parse(await done(['memory', 'show', 'thread/th', '--json']));
    expect(shown).toMatchObject({ capsule: { source: { update_reason: 'manual' }, subject_id: 'th' } });
    // Twice in one second.
    await done(['memory', 'patch', 'thread/th', '--append', 'open_loops=ask sam']);
    await done([
      'memory',
      'patch',
      'thread/th',
      '--remove',
      'open_loops=ask sam',
      '--append',
      'trailing_notes=yes',
    ]);
    const operations = [{ target: 'continuity.drift_signals', action: 'append', value: 'it grows' }];
    await done(['memory', 'patch', 'thread/th'], JSON.stringify(operations));
    expect(await done(['memory', 'patch', 'thread/th', '--append', 'open_loops=x', '--dry-run'])).toMatch(
      /^would change thread\/th\n {2}.*open loops/,
    );
    expect(await done(['memory', 'show', 'thread/th', '--section', 'drift_signals'])).toContain('it grows');
    expect(await done(['memory', 'restore', 'thread/th', '--from', '1', '--reason', 'start over'])).toBe(
      'updated thread/th\n',
    );
    await done(['doc', 'write', 'docs/tides.md', 'Six hours. Enough?']);
    await done(['remind', 'add', 'look', '--at', 'in 2h', '--thread', 'th']);
    const told = await done(['memory', 'retrieve', 'tide', 'cache', '--about', 'thread/th']);
    for (const part of [
      'thread/th (active)',
      'ship the cache',
      'docs/tides.md',
      'Six hours. Enough?',
      'look',
    ]) {
      expect(told).toContain(part);
    }
    expect(told).toContain('references_document\tthread:th\tdocument:docs/tides.md');
    const json: unknown = JSON.parse(await done(['memory', 'retrieve', 'thread:th', '--json']));
    expect(json).toMatchObject({ bundle: { continuity_state: { present: true } } });
  });
});
