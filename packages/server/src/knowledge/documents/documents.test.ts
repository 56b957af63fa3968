import { beforeAll, expect, test } from 'vitest';
import { refusal } from '../../continuity/testing/memory.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { type Library, type LibraryServer, startLibrary } from '../testing/library.ts';

describeEachServer('documents', (start) => {
  let home: LibraryServer;
  let library: Library;
  beforeAll(async () => {
    home = await startLibrary(start);
    library = await home.library();
  });

  test('a text is read back as it was written, whatever characters it has', async () => {
    for (const content of ['', 'Deploy plan\n', 'a\0b', '𝒜🙂\r\n\tend', '---\ntype: x\n---\n']) {
      const written = await library.write('projects/any.txt', content);
      expect([written.status, written.body.ok, written.body.path]).toEqual([200, true, 'projects/any.txt']);
      expect((await library.read('projects/any.txt')).body).toEqual({
        ok: true,
        path: 'projects/any.txt',
        content,
      });
    }
  });

  test('the same text twice is committed once, and each change has a name of its own', async () => {
    const own = await home.library();
    const first = await own.write('projects/a.md', 'one');
    const again = await own.write('projects/a.md', 'one');
    const other = await own.write('projects/a.md', 'two');
    expect([first, again, other].map(({ body }) => body.committed)).toEqual([true, false, true]);
    expect(again.body.latest_commit).toBe(first.body.latest_commit);
    expect(other.body.latest_commit).not.toBe(first.body.latest_commit);
    const capsule = await own.memory.store('user', 'a');
    const last = await own.write('projects/a.md', 'two');
    expect(last.body.latest_commit).toBe(capsule.body.latest_commit);
  });

  test('dots and doubled slashes are collapsed, and the collapsed path is the key', async () => {
    const written = await library.write('./projects//x/./y.md', 'here');
    expect(written.body.path).toBe('projects/x/y.md');
    expect((await library.read('projects/x//y.md')).body).toMatchObject({
      path: 'projects/x/y.md',
      content: 'here',
    });
  });

  test('what is not there, and what is a folder, is not found', async () => {
    await library.put('projects/folder/file.md', 'x');
    for (const path of ['projects/none.md', 'projects/folder', 'projects', 'docs/x']) {
      expect([path, ...refusal(await library.read(path))]).toEqual([path, 404, 'File not found']);
    }
  });

  test('a name is a document or a folder, never both', async () => {
    await library.put('projects/both/file.md', 'x');
    expect(refusal(await library.write('projects/both', 'x'))).toEqual([
      409,
      'Path is a folder: projects/both',
    ]);
    expect(refusal(await library.write('projects/both/file.md/deeper.md', 'x'))).toEqual([
      409,
      'A document is in the way: projects/both/file.md',
    ]);
    expect((await library.write('docs', 'x')).status).toBe(409);
  });

  test('paths that lead outside or to nowhere are refused', async () => {
    for (const path of ['/etc/x', '', 'projects/../memory/a.md', '../x', 'projects/..', 'projects/a\0b']) {
      expect([path, ...refusal(await library.write(path, 'x'))]).toEqual([
        path,
        403,
        `Invalid path for namespace check: ${path}`,
      ]);
      expect((await library.read(path)).status).toBe(403);
    }
    expect(refusal(await library.write('bogus/x.md', 'x'))).toEqual([
      400,
      'Top-level path not allowed: bogus',
    ]);
    expect(refusal(await library.read('bogus/x.md'))).toEqual([400, 'Top-level path not allowed: bogus']);
  });

  test('lines are appended in order, each on its own, and the document is created', async () => {
    const append = (record: unknown) => library.post('/v1/append', { path: 'messages/l.jsonl', record });
    expect((await append({ a: 1 })).body).toMatchObject({
      ok: true,
      path: 'messages/l.jsonl',
      committed: true,
    });
    await append({ a: 2, text: 'two\nlines' });
    const { body } = await library.read('messages/l.jsonl');
    expect(body.content).toBe('{"a":1}\n{"a":2,"text":"two\\nlines"}\n');
    for (const record of [[1], 'x', null, undefined]) {
      const { status, body: told } = await append(record);
      expect([status, JSON.stringify(told)]).toEqual([422, expect.stringContaining('"record"')]);
    }
  });

  test('a text without an end of line gets one before the first record', async () => {
    await library.put('journal/open.jsonl', 'no end');
    await library.post('/v1/append', { path: 'journal/open.jsonl', record: { n: 1 } });
    expect((await library.read('journal/open.jsonl')).body.content).toBe('no end\n{"n":1}\n');
  });

  test('of many who append at once none is lost', async () => {
    const own = await home.library();
    const path = 'runs/log.jsonl';
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => own.post('/v1/append', { path, record: { n } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const lines = (await own.read(path)).body.content.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).n).toSorted((a, b) => a - b)).toEqual(
      answers.map((_, n) => n),
    );
  });

  test('a document does not grow beyond its bound', async () => {
    const own = await home.library();
    const record = { fill: 'x'.repeat(261_000) };
    let last = 200;
    for (let at = 0; at < 45 && last === 200; at += 1) {
      last = (await own.post('/v1/append', { path: 'runs/big.log', record })).status;
    }
    expect(last).toBe(413);
    expect(Buffer.byteLength((await own.read('runs/big.log')).body.content)).toBeLessThanOrEqual(
      10 * 1024 * 1024,
    );
  });

  test('each folder is written with its scope, and reading needs its own', async () => {
    const writer = await library.lesser({ scopes: ['write:projects'] });
    expect(refusal(await writer.write('journal/a.md', 'x'))).toEqual([403, 'Missing scope: write:journal']);
    expect(refusal(await writer.write('messages/a.md', 'x'))).toEqual([403, 'Missing scope: write:messages']);
    expect((await writer.write('essays/a.md', 'x')).status).toBe(200);
    expect(refusal(await writer.read('essays/a.md'))).toEqual([403, 'Missing scope: read:files']);
    const journal = await library.lesser({ scopes: ['write:journal'] });
    expect((await journal.write('journal/b.md', 'x')).status).toBe(200);
    expect(refusal(await journal.write('projects/b.md', 'x'))).toEqual([
      403,
      'Missing scope: write:projects',
    ]);
  });

  test('outside the namespaces nothing is read or written', async () => {
    const away = await library.lesser({ read_namespaces: ['docs'], write_namespaces: ['docs/mine'] });
    expect(refusal(await away.read('projects/any.txt'))).toEqual([
      403,
      'Read path namespace not allowed: projects/any.txt',
    ]);
    expect(refusal(await away.write('docs/other.md', 'x'))).toEqual([
      403,
      'Write path namespace not allowed: docs/other.md',
    ]);
    expect((await away.write('docs/mine/own.md', 'x')).status).toBe(200);
    expect((await away.read('docs/mine/own.md')).status).toBe(200);
  });

  test('capsules are read as they are kept, and nothing else of what the server keeps', async () => {
    const own = await home.library();
    await own.memory.store('thread', 'th1');
    const active = await own.read('memory/continuity/thread-th1.json');
    expect(JSON.parse(active.body.content)).toMatchObject({ subject_kind: 'thread', subject_id: 'th1' });
    const fallback = await own.read('memory/continuity/fallback/thread-th1.json');
    expect(JSON.parse(fallback.body.content)).toMatchObject({ capsule: { subject_id: 'th1' } });
    await own.memory.call('archive', { subject_kind: 'thread', subject_id: 'th1', reason: 'done' });
    const archived = await own.read('memory/continuity/archive/thread-th1-20260401T120000Z.json');
    expect(JSON.parse(archived.body.content)).toMatchObject({ capsule: { subject_id: 'th1' } });
    for (const path of [
      'config/peer_tokens.json',
      'logs/api_audit.jsonl',
      'index/files.json',
      'peers/registry.json',
      'backups/x',
      'memory/coordination/handoffs/x.json',
      'memory/schedule/schedule.db',
      'memory/continuity/thread-none.json',
      'tasks/open/none.json',
    ]) {
      expect([path, ...refusal(await own.read(path))]).toEqual([path, 404, 'File not found']);
      expect([path, ...refusal(await own.write(path, 'x'))]).toEqual([
        path,
        403,
        `Path is managed by the server: ${path}`,
      ]);
    }
  });

  test('documents of another owner are not there', async () => {
    await library.put('projects/secret.md', 'mine alone');
    const other = await home.library();
    expect((await other.read('projects/secret.md')).status).toBe(404);
  });

  test('a body that is too large is refused, and so is one that is none', async () => {
    const large = await library.write('projects/large.md', 'x'.repeat(262_144));
    expect(refusal(large)).toEqual([413, expect.stringContaining('Payload too large for documents.write')]);
    expect((await library.post('/v1/write', { path: 'projects/x.md' })).status).toBe(422);
    expect((await library.call('GET', '/v1/read')).status).toBe(422);
    expect((await library.call('GET', '/v1/write')).status).toBe(405);
    expect((await home.people.call('POST', '/v1/write', { body: {} })).status).toBe(401);
    expect((await home.people.call('POST', '/v1/write', { body: '{bad' })).status).toBe(401);
    expect((await library.post('/v1/write', '{bad')).body).toMatchObject({
      detail: [{ type: 'json_invalid' }],
    });
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    const record = `{"path":"projects/deep.jsonl","record":{"a":${deep}}}`;
    const refused = await home.people.call('POST', '/v1/append', { key: library.memory.key, body: record });
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'json_too_deep', loc: ['body'] }] },
    });
  });
});

describeEachServer('documents › budget', (start) => {
  test('capsules and documents count together, and what is there can still be changed', async () => {
    const home = await startLibrary(start, { budgetDocuments: 2 });
    const library = await home.library();
    await library.memory.store('user', 'a');
    await library.put('projects/a.md', 'x');
    const refused = await library.write('projects/b.md', 'x');
    expect(refusal(refused)).toEqual([402, expect.stringContaining('PARLEY_BUDGET_DOCUMENTS')]);
    expect((await library.write('projects/a.md', 'y')).status).toBe(200);
    const { body } = await library.call('GET', '/v1/usage');
    expect(body).toMatchObject({ budgets: { documents: { used: 2, limit: 2, remaining: 0 } } });
  });
});
