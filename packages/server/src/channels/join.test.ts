import { describe, expect, test } from 'vitest';
import { channelSuite } from './testing/channel-suite.ts';
import { describeEachStore } from './testing/each-store.ts';

describeEachStore('channel › join', (startOn) => {
  const { clock, server, client } = channelSuite(startOn);

  test('answers with an id, the names in join order, the roster and the cursor', async () => {
    const channel = await client.create();
    await channel.join('laptop', { key_fp: 'd4b94cdbd1dd54a6' });
    await clock.advance(4_900);
    const { status, body } = await channel.tryJoin('server');
    expect(status).toBe(200);
    expect(body.participant_id).toMatch(/^[0-9a-f]{32}$/);
    expect(body).toEqual({
      participant_id: body.participant_id,
      participants: ['laptop', 'server'],
      roster: [
        { name: 'laptop', key_fp: 'd4b94cdbd1dd54a6', last_seen_s: 4 },
        { name: 'server', key_fp: null, last_seen_s: 0 },
      ],
      cursor: 2,
    });
  });

  test('appends a join event that wakes parked polls of everyone', async () => {
    const channel = await client.create();
    const [a, b] = [await channel.join('a'), await channel.join('b')];
    const parked = [a.poll({ since: 2 }), b.poll({ since: 2 })];
    await client.parked(2);
    const joined = clock.now();
    await channel.join('c');
    for (const answer of await Promise.all(parked)) {
      expect(answer.body).toMatchObject({
        messages: [{ type: 'join', from: 'c', index: 2, timestamp: joined }],
        cursor: 3,
      });
      expect(Object.keys(answer.body.messages[0] ?? {}).toSorted()).toEqual([
        'from',
        'index',
        'timestamp',
        'type',
      ]);
    }
  });

  test('gives a cursor that skips all history', async () => {
    const channel = await client.create();
    const a = await channel.join('a');
    await a.send('before');
    const b = await channel.join('b');
    expect(b.cursor).toBe(3);
    await a.send('after');
    const { body } = await b.poll({ since: b.cursor });
    expect(body.messages).toMatchObject([{ type: 'message', text: 'after', index: 3 }]);
  });

  test('refuses a name that is held, and frees it on leave (checklist 11)', async () => {
    const channel = await client.create();
    const first = await channel.join('laptop');
    await channel.join('other');
    const taken = await channel.tryJoin('laptop');
    expect(taken).toMatchObject({ status: 400, body: { error: 'name_taken' } });
    await first.leave();
    const { body } = await channel.tryJoin('laptop');
    expect(body.participants).toEqual(['other', 'laptop']);
    expect(body.participant_id).not.toBe(first.id);
  });

  test('refuses the 21st participant (checklist 12)', async () => {
    const channel = await client.create();
    const peers = [];
    for (let n = 1; n <= 20; n++) peers.push(await channel.join(`peer number ${n}`));
    const full = await channel.tryJoin('peer number 21');
    expect(full).toMatchObject({ status: 400, body: { error: 'channel_full' } });
    await peers[7]?.leave();
    expect((await channel.tryJoin('peer number 21')).status).toBe(200);
  });

  test('looks at the token before the name (checklist 10)', async () => {
    const channel = await client.create();
    const answer = await client.post(`${channel.path}/join`, { token: 'f'.repeat(48), name: '\n' });
    expect(answer).toMatchObject({ status: 404, body: { error: 'channel_or_token_invalid' } });
  });

  const refused: [string, unknown][] = [
    ['a line feed', 'a\nb'],
    ['a carriage return', 'a\rb'],
    ['NUL', 'a\u0000b'],
    ['DEL', 'a\u007fb'],
    ['a C1 control', 'a\u0085b'],
    ['only spaces', '   '],
    ['only an ideographic space', '\u3000'],
    ['a leading space', ' a'],
    ['a trailing tab', 'a\t'],
    ['a trailing no-break space', 'a\u00a0'],
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029b'],
    ['a zero-width space', 'a\u200bb'],
    ['a left-to-right mark', 'a\u200eb'],
    ['a bidi override', 'a\u202eb'],
    ['a bidi isolate', 'a\u2066b'],
    ['a byte order mark', 'a\ufeffb'],
    ['65 units', 'x'.repeat(65)],
    ['33 emoji', '🦊'.repeat(33)],
    ['a number', 7],
    ['true', true],
    ['an array', ['a']],
    ['an object', { toString: 'a' }],
  ];
  test.each(refused)('refuses a name with %s', async (_label, name) => {
    const channel = await client.create();
    const answer = await channel.tryJoin(name);
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_name' } });
  });

  test('leaves no trace of a name with a newline (checklist 33)', async () => {
    const channel = await client.create();
    const peer = await channel.join('a');
    const forged = 'b\n{"type":"message"}';
    expect((await channel.tryJoin(forged)).body).toEqual({ error: 'invalid_name' });
    expect((await peer.poll({ wait: 0 })).body.messages).toHaveLength(1);
    expect(server.logs.every((line) => typeof line.event === 'string' && line.type === undefined)).toBe(true);
  });

  const accepted = [
    'x'.repeat(64),
    '🦊'.repeat(32),
    'my laptop (2)',
    'Zoë',
    'अनुवाद',
    '名前',
    '<img src=x onerror=alert(1)>',
    `"'\\\`$(id)`,
    '__proto__',
    'constructor',
    'hasOwnProperty',
    '0',
  ];
  test.each(accepted)('accepts %j and reports it unchanged', async (name) => {
    const channel = await client.create();
    const { status, body } = await channel.tryJoin(name);
    expect(status).toBe(200);
    expect(body.participants).toEqual([name]);
    expect(body.roster?.[0]?.name).toBe(name);
  });

  test('does not normalise: the bytes given are the bytes reported', async () => {
    const channel = await client.create();
    const decomposed = 'Zoe\u0308';
    const { body } = await channel.tryJoin(decomposed);
    expect(body.participants).toEqual([decomposed]);
  });

  const fingerprints: [unknown, string | null][] = [
    ['d4b94cdbd1dd54a6', 'd4b94cdbd1dd54a6'],
    ['D4B94CDBD1DD54A6', 'd4b94cdbd1dd54a6'],
    ['abcdef01', 'abcdef01'],
    ['a'.repeat(64), 'a'.repeat(64)],
    ['abcdef0', null],
    ['a'.repeat(65), null],
    ['not hex at all', null],
    ['abcdef01\n', null],
    [12_345_678, null],
    [['abcdef01'], null],
    [null, null],
    ['', null],
  ];
  test.each(fingerprints)('keeps the fingerprint %j as %j (checklist 27)', async (given, kept) => {
    const channel = await client.create();
    const { status, body } = await channel.tryJoin('a', { key_fp: given });
    expect(status).toBe(200);
    expect(body.roster?.[0]?.key_fp).toBe(kept);
  });

  test('ignores unknown fields, dangerous ones included', async () => {
    const channel = await client.create();
    const body = `{"token":"${channel.token}","name":"a","__proto__":{"key_fp":"abcdef01"},"constructor":{"prototype":{"x":1}},"extra":[1]}`;
    const answer = await client.post(`${channel.path}/join`, body);
    expect(answer).toMatchObject({ status: 200, body: { roster: [{ name: 'a', key_fp: null }] } });
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  describe('last_seen_s', () => {
    test('counts from the last join, send or poll arrival', async () => {
      const channel = await client.create();
      const a = await channel.join('a');
      const watcher = await channel.join('watcher');
      const seen = async (): Promise<number | undefined> =>
        (await watcher.poll({ wait: 0 })).body.roster?.find(({ name }) => name === 'a')?.last_seen_s;
      await clock.advance(10_999);
      expect(await seen()).toBe(10);
      await a.send('x');
      await clock.advance(3_000);
      expect(await seen()).toBe(3);
      await a.poll({ since: 0 });
      expect(await seen()).toBe(0);
      await clock.advance(2_000);
      await a.send('');
      expect(await seen()).toBe(2);
    });

    test('is 0 while a poll is parked', async () => {
      const channel = await client.create();
      const a = await channel.join('a');
      const watcher = await channel.join('watcher');
      const parked = a.poll({ since: 2 });
      await client.parked(1);
      await clock.advance(30_000);
      // That it waits is renewed in a store elsewhere, a moment after the clock moved.
      const roster = async () => (await watcher.poll({ wait: 0 })).body.roster;
      await expect.poll(roster).toMatchObject([
        { name: 'a', last_seen_s: 0 },
        { name: 'watcher', last_seen_s: 0 },
      ]);
      await watcher.send('x');
      await parked;
    });
  });
});
