import { describe, expect, test } from 'vitest';
import { channelSuite } from './testing/channel-suite.ts';
import { describeEachStore } from './testing/each-store.ts';

const TEN_MINUTES = 600_000;
const FP = 'd4b94cdbd1dd54a6';

describeEachStore('channel › identity', (startOn) => {
  const { clock, client } = channelSuite(startOn, { chMaxParticipants: 3, chIdleTimeoutMs: 36e5 });

  describe('resume', () => {
    test('gives the same identity back, without a new event', async () => {
      const channel = await client.create();
      const [a, b] = [await channel.join('a', { key_fp: FP }), await channel.join('b')];
      await a.send('before');
      await clock.advance(5_000);
      const { status, body } = await channel.tryJoin('a', { resume: a.id });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        participant_id: a.id,
        participants: ['a', 'b'],
        roster: [
          { name: 'a', key_fp: FP, last_seen_s: 0 },
          { name: 'b', last_seen_s: 5 },
        ],
        cursor: 3,
        resumed: true,
      });
      expect((await b.poll()).body.cursor).toBe(3);
      expect((await a.send('after')).body.index).toBe(3);
    });

    test('does not wake anybody', async () => {
      const channel = await client.create();
      const [a, b] = [await channel.join('a'), await channel.join('b')];
      const parked = b.poll({ since: 2, wait: 1 });
      await client.parked(1);
      await channel.tryJoin('a', { resume: a.id });
      await clock.advance(2_000);
      expect((await parked).status).toBe(204);
    });

    test('works in a full channel', async () => {
      const channel = await client.create();
      const a = await channel.join('a');
      await channel.join('b');
      await channel.join('c');
      expect((await channel.tryJoin('d')).body).toMatchObject({ error: 'channel_full' });
      expect((await channel.tryJoin('a', { resume: a.id })).body).toMatchObject({ resumed: true });
    });

    test('keeps the old name whatever name is asked for', async () => {
      const channel = await client.create();
      const a = await channel.join('a');
      const { body } = await channel.tryJoin('admin', { resume: a.id });
      expect(body.participants).toEqual(['a']);
      expect((await a.send('x')).status).toBe(200);
      expect((await a.poll()).body.messages.map((event) => 'from' in event && event.from)).toEqual([
        'a',
        'a',
      ]);
    });

    test('still needs the token', async () => {
      const channel = await client.create();
      const a = await channel.join('a');
      const body = { token: '0'.repeat(48), name: 'a', resume: a.id };
      expect((await client.post(`${channel.path}/join`, body)).status).toBe(404);
    });

    test.each(['f'.repeat(32), '', 7, null, ['x'], {}])(
      'with %j is a join like any other',
      async (resume) => {
        const channel = await client.create();
        await channel.join('a');
        expect((await channel.tryJoin('a', { resume })).body).toEqual({ error: 'name_taken' });
        const { body } = await channel.tryJoin('b', { resume });
        expect(body.resumed).toBeUndefined();
        expect(body).toMatchObject({ participants: ['a', 'b'], cursor: 2 });
      },
    );

    test('does not bring back somebody who has left', async () => {
      const channel = await client.create();
      const [a] = [await channel.join('a'), await channel.join('b')];
      await a.leave();
      const { body } = await channel.tryJoin('a', { resume: a.id });
      expect(body.resumed).toBeUndefined();
      expect(body.participant_id).not.toBe(a.id);
    });
  });

  describe('reclaiming a name', () => {
    test('is possible after ten minutes unseen, with the same fingerprint', async () => {
      const channel = await client.create();
      const old = await channel.join('a', { key_fp: FP });
      const watcher = await channel.join('watcher');
      await clock.advance(TEN_MINUTES);
      const { status, body } = await channel.tryJoin('a', { key_fp: FP.toUpperCase() });
      expect(status).toBe(200);
      expect(body.participants).toEqual(['watcher', 'a']);
      expect((await old.send('x')).body).toEqual({ error: 'participant_not_in_channel' });
      const { messages } = (await watcher.poll({ since: 2 })).body;
      expect(messages).toMatchObject([
        { type: 'leave', from: 'a', index: 2 },
        { type: 'join', from: 'a', index: 3 },
      ]);
    });

    test('is possible in a full channel', async () => {
      const channel = await client.create();
      for (const name of ['a', 'b', 'c']) await channel.join(name, { key_fp: FP });
      await clock.advance(TEN_MINUTES);
      expect((await channel.tryJoin('b', { key_fp: FP })).status).toBe(200);
    });

    const refused: [string, number, string | undefined, string | undefined][] = [
      ['too early', TEN_MINUTES - 1, FP, FP],
      ['with another fingerprint', TEN_MINUTES, FP, 'abcdef0123456789'],
      ['without one', TEN_MINUTES, FP, undefined],
      ['when the first had none', TEN_MINUTES, undefined, FP],
      ['when neither has one', TEN_MINUTES, undefined, undefined],
    ];
    test.each(refused)('is refused %s', async (_label, wait, first, second) => {
      const channel = await client.create();
      await channel.join('a', { key_fp: first });
      await clock.advance(wait);
      expect((await channel.tryJoin('a', { key_fp: second })).body).toEqual({ error: 'name_taken' });
    });

    test('is refused while a poll of the holder is parked or was lately', async () => {
      const channel = await client.create();
      const a = await channel.join('a', { key_fp: FP });
      await clock.advance(TEN_MINUTES - 30_000);
      const parked = a.poll({ since: 1 });
      await client.parked(1);
      await clock.advance(40_000);
      expect((await channel.tryJoin('a', { key_fp: FP })).body).toEqual({ error: 'name_taken' });
      await clock.advance(11_000);
      expect((await parked).status).toBe(204);
      expect((await channel.tryJoin('a', { key_fp: FP })).body).toEqual({ error: 'name_taken' });
    });
  });

  describe('look-alike names', () => {
    test.each([
      ['case', 'Laptop', 'laptop'],
      ['normal form', 'Zo\u00eb', 'Zoe\u0308'],
      ['a Cyrillic letter', 'laptop', 'l\u0430ptop'],
      ['a Greek letter', 'OMEGA', '\u039fMEGA'],
      ['full width', 'admin', '\uff41dmin'],
      ['one and l', 'al', 'a1'],
    ])('are taken: %s', async (_label, first, second) => {
      const channel = await client.create();
      await channel.join(first);
      expect((await channel.tryJoin(second)).body).toEqual({ error: 'name_taken' });
    });

    test.each([
      ['another accent', 'Zoe', 'Zo\u00eb'],
      ['a suffix', 'laptop', 'laptop-1'],
      ['another word', 'laptop', 'laptops'],
    ])('are not: %s', async (_label, first, second) => {
      const channel = await client.create();
      await channel.join(first);
      expect((await channel.tryJoin(second)).status).toBe(200);
    });

    test('may not reclaim each other’s place', async () => {
      const channel = await client.create();
      await channel.join('laptop', { key_fp: FP });
      await clock.advance(TEN_MINUTES);
      expect((await channel.tryJoin('Laptop', { key_fp: FP })).body).toEqual({ error: 'name_taken' });
    });
  });
});
