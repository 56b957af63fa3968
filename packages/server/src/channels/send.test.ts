import { expect, test } from 'vitest';
import { channelSuite } from './testing/channel-suite.ts';
import { describeEachStore } from './testing/each-store.ts';

describeEachStore('channel › send', (startOn) => {
  const { clock, client } = channelSuite(startOn);

  test('stores the text under the next index, with the name of the sender', async () => {
    const channel = await client.create();
    const a = await channel.join('a');
    const b = await channel.join('b');
    expect((await a.send('one')).body).toEqual({ ok: true, index: 2 });
    expect((await b.send('two', { from: 'a', name: 'a' })).body).toEqual({ ok: true, index: 3 });
    const { body } = await a.poll({ since: 2 });
    expect(body.messages).toEqual([
      { type: 'message', from: 'a', index: 2, timestamp: clock.now(), text: 'one' },
      { type: 'message', from: 'b', index: 3, timestamp: clock.now(), text: 'two' },
    ]);
  });

  test('shows a sender its own message (checklist 5)', async () => {
    const channel = await client.create();
    const a = await channel.join('a');
    await a.send('mine');
    expect((await a.poll()).body.messages).toMatchObject([
      { type: 'join', from: 'a' },
      { type: 'message', from: 'a', text: 'mine' },
    ]);
  });

  const awkward = [
    '"quoted" \\ back\\slash \\n',
    '🦊 é e\u0301 \u202e العربية',
    'nul \u0000 and \u0001 control \u007f',
    'line\nfeed\r\n\u2028\u2029',
    '\ud800 lone \udfff',
    '</script><img onerror=x>',
    '{"text":"not an envelope"}',
    '   ',
    '\n',
    '__proto__',
    'not base64!!!',
  ];
  test.each(awkward)('returns %j identical (checklist 14)', async (text) => {
    const channel = await client.create();
    const a = await channel.join('a');
    expect((await a.send(text)).status).toBe(200);
    const [message] = (await a.poll({ since: 1 })).body.messages;
    expect(message).toMatchObject({ text });
  });

  const sizes: [string, string, number][] = [
    ['65 536 letters', 'x'.repeat(65_536), 200],
    ['65 537 letters', 'x'.repeat(65_537), 400],
    ['32 768 emoji, which are 65 536 units', '🦊'.repeat(32_768), 200],
    ['32 769 emoji', '🦊'.repeat(32_769), 400],
    ['65 536 three-byte characters', '名'.repeat(65_536), 200],
  ];
  test.each(sizes)(
    'answers a text of %s with the right status (checklist 13)',
    async (_label, text, status) => {
      const channel = await client.create();
      const a = await channel.join('a');
      const answer = await a.send(text);
      expect(answer.status).toBe(status);
      if (status === 400) expect(answer.body).toEqual({ error: 'text_too_large' });
      else expect((await a.poll({ since: 1 })).body.messages).toMatchObject([{ text }]);
    },
  );

  test.each([
    ['a content length', 'content-length'],
    ['chunks', 'transfer-encoding'],
  ])('refuses a body of 300 KiB sent with %s (checklist 13)', async (_label, header) => {
    const channel = await client.create();
    const a = await channel.join('a');
    const more = { padding: 'x'.repeat(300 * 1024) };
    const headers = header === 'transfer-encoding' ? { 'transfer-encoding': 'chunked' } : undefined;
    const answer = await a.send('x', more, headers ? { headers } : {});
    expect(answer).toMatchObject({ status: 413, body: { error: 'body_too_large' } });
    expect((await a.poll()).body.cursor).toBe(1);
  });

  test('accepts a body of exactly 256 KiB and refuses one byte more', async () => {
    const channel = await client.create();
    const a = await channel.join('a');
    const start = JSON.stringify({ token: channel.token, participant_id: a.id, text: 'x' });
    const padded = (size: number): string => start + ' '.repeat(size - start.length);
    const post = async (size: number): Promise<number> =>
      (await client.post(`${channel.path}/send`, padded(size))).status;
    expect(await post(256 * 1024)).toBe(200);
    expect(await post(256 * 1024 + 1)).toBe(413);
  });

  test('accepts the credentials whatever the content type says', async () => {
    const channel = await client.create();
    const a = await channel.join('a');
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'nonsense', '']) {
      const answer = await a.send('x', {}, { headers: { 'content-type': type } });
      expect([type, answer.status]).toEqual([type, 200]);
    }
  });
});
