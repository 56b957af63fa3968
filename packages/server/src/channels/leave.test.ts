import { expect, test } from 'vitest';
import { head, RawSocket } from '../testing/raw-socket.ts';
import { channelSuite } from './testing/channel-suite.ts';
import { describeEachStore } from './testing/each-store.ts';

describeEachStore('channel › leave', (startOn) => {
  const { clock, server, client } = channelSuite(startOn);

  test('appends a leave event that the others see', async () => {
    const channel = await client.create();
    const [a, b] = [await channel.join('a'), await channel.join('b')];
    const parked = b.poll({ since: 2 });
    await client.parked(1);
    expect((await a.leave()).body).toEqual({ ok: true });
    const { body } = await parked;
    expect(body).toEqual({
      messages: [{ type: 'leave', from: 'a', index: 2, timestamp: clock.now() }],
      cursor: 3,
      roster: [{ name: 'b', key_fp: null, last_seen_s: 0 }],
    });
  });

  test('answers parked polls of the leaver with the leave event', async () => {
    const channel = await client.create();
    const [a] = [await channel.join('a'), await channel.join('b')];
    const parked = [a.poll({ since: 2 }), a.poll({ since: 2 })];
    await client.parked(2);
    await a.leave();
    for (const answer of await Promise.all(parked)) {
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ messages: [{ type: 'leave', from: 'a', index: 2 }], cursor: 3 });
    }
  });

  test('answers a parked poll of the leaver even if its cursor lies beyond the end', async () => {
    const channel = await client.create();
    const [a] = [await channel.join('a'), await channel.join('b')];
    const parked = a.poll({ since: 99 });
    await client.parked(1);
    await a.leave();
    expect([200, 204, 400]).toContain((await parked).status);
    expect(await client.metric('agentalk_polls_parked')).toBe(0);
  });

  test('ends event streams of the leaver, and of nobody else', async () => {
    const channel = await client.create();
    const [a, b] = [await channel.join('a'), await channel.join('b')];
    const [own, other] = [a, b].map((peer) => {
      const query = `token=${channel.token}&participant_id=${peer.id}&since=2`;
      return new RawSocket(server.url).write(
        head(`GET ${channel.path}/events?${query} HTTP/1.1`, 'Host: a', 'Connection: close'),
      );
    });
    await client.parked(2);
    await a.leave();
    // The empty chunk is the end of the answer.
    expect(await own?.until(/\r\n0\r\n\r\n$/)).toMatch(/"type":"leave","from":"a"/);
    await b.send('among ourselves');
    expect(await other?.until(/among ourselves/)).toMatch(/"type":"leave","from":"a"/);
    expect(own?.received).not.toContain('among ourselves');
    await client.parked(1);
    other?.destroy();
    await client.parked(0);
  });

  test('kills the participant id', async () => {
    const channel = await client.create();
    const [a, b] = [await channel.join('a'), await channel.join('b')];
    await a.leave();
    for (const answer of await Promise.all([a.send('x'), a.poll(), a.leave()])) {
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({ error: 'participant_not_in_channel' });
    }
    expect((await b.poll()).body.cursor).toBe(3);
  });

  test('is accepted as text/plain, so that a page can send it while unloading', async () => {
    const channel = await client.create();
    const [a] = [await channel.join('a'), await channel.join('b')];
    const answer = await a.leave({ headers: { 'content-type': 'text/plain;charset=UTF-8' } });
    expect(answer).toMatchObject({ status: 200, body: { ok: true } });
  });

  test('ends the channel when the last one leaves (checklist 15)', async () => {
    const channel = await client.create();
    const [a, b] = [await channel.join('a'), await channel.join('b')];
    await a.leave();
    await b.leave();
    await clock.advance(2_500);
    const gone = { error: 'channel_or_token_invalid', evicted_reason: 'evicted_empty', evicted_s_ago: 2 };
    for (const answer of [await a.poll(), await b.send('x'), await b.leave(), await channel.tryJoin('c')]) {
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(gone);
    }
  });

  test('answers the last leaver’s own parked poll', async () => {
    const channel = await client.create();
    const a = await channel.join('a');
    const parked = a.poll({ since: 1 });
    await client.parked(1);
    expect((await a.leave()).status).toBe(200);
    const { status, body } = await parked;
    if (status === 200) expect(body.messages).toMatchObject([{ type: 'leave', from: 'a' }]);
    else expect(body).toMatchObject({ error: 'channel_or_token_invalid' });
    expect(await client.metric('agentalk_polls_parked')).toBe(0);
  });
});
