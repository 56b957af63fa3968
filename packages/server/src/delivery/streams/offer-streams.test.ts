import { expect, test } from 'vitest';
import { HttpClient } from '../../testing/http-client.ts';
import { SseReader } from '../../testing/sse-reader.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestOptions } from '../../testing/start-server.ts';
import { CueClient } from '../testing/cue-client.ts';
import { MessageClient } from '../testing/message-client.ts';

const TOKEN = '01J9ZQ4M8N6R2T5V7X9A1B3C5D';

const OPEN_STREAMS = 'parley_delivery_offer_streams';

const idsOf = (reader: SseReader, event: string): unknown[] =>
  reader.frames.filter((frame) => frame.event === event).map(({ data }) => data.execution_id);

describeEachServer('delivery › live-session stream', (start) => {
  const scene = async (options: TestOptions = {}) => {
    const clock = new FakeClock(Date.UTC(2026, 5, 1, 9));
    const server = await start({ clock, rateLimits: false, ...options });
    const owner = await MessageClient.register(server);
    await owner.create({ slug: 'app', delivery_capabilities: ['live', 'bg', 'inbox'] });
    await owner.attach('app', { task_name: 'app-live', session_token: TOKEN });
    const path = '/v1/agents/app/live-sessions/main/stream';
    const listen = (key = owner.owner.key): Promise<SseReader> => SseReader.open(server, path, { key });
    const send = (more: object = {}) => owner.send('app', { from: 'app', delivery_mode: 'live', ...more });
    return { clock, server, owner, listen, send, path };
  };

  test('shows what is open, then each offer as it comes, as the list of claimable work shows it', async () => {
    const { clock, owner, listen, send } = await scene();
    const before = await send({ subject: 'before' });
    await clock.advance(1);
    const stream = await listen();
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
    await stream.event('offer');
    const after = await send({ subject: 'after' });
    await stream.event('offer', 2);
    expect(stream.text.startsWith('retry: 3000\n\nevent: offer\ndata: {')).toBe(true);
    const listed = await owner.claimable({ task: 'app-live' });
    const offered = stream.frames.filter(({ event }) => event === 'offer').map(({ data }) => data);
    expect(offered).toEqual(listed);
    expect(offered.map(({ message_id: id }) => id)).toEqual([before.id, after.id]);
    stream.close();
  });

  test.each(['claimed', 'read', 'lapsed'])('takes back an offer that was %s', async (how) => {
    const { clock, owner, listen, send } = await scene();
    const { id, execution_id: executionId } = await send();
    const stream = await listen();
    await stream.event('offer');
    if (how === 'claimed') await owner.claim(executionId);
    if (how === 'read') await owner.mark(id, 'read');
    if (how === 'lapsed') await clock.advance(30_000);
    await stream.event('withdrawn');
    expect(idsOf(stream, 'withdrawn')).toEqual([executionId]);
    stream.close();
  });

  test('takes back what a cue offered when the cue is deleted', async () => {
    const { owner, listen } = await scene();
    const cues = new CueClient(owner.people, owner.owner);
    const yearly = { type: 'recurring', cron: '@yearly' };
    const cue = await cues.cue({ schedule: yearly, agent: 'app', delivery_mode: 'live' });
    const { execution_id: executionId } = await cues.fire(cue.id);
    const stream = await listen();
    await stream.event('offer');
    await cues.call('DELETE', `/v1/cues/${cue.id}`);
    await stream.event('withdrawn');
    expect(idsOf(stream, 'withdrawn')).toEqual([executionId]);
    stream.close();
  });

  test('does not take back what its own session claimed', async () => {
    const { clock, owner, listen, send } = await scene();
    const mine = await send();
    const stream = await listen();
    await stream.event('offer');
    await owner.liveClaim(mine.execution_id, { session_token: TOKEN });
    const other = await send();
    await stream.event('offer', 2);
    await owner.mark(other.id, 'read');
    await stream.event('withdrawn');
    await clock.advance(15_000);
    await stream.event('ping');
    expect(idsOf(stream, 'withdrawn')).toEqual([other.execution_id]);
    stream.close();
  });

  test('beats with every ping, so that the session stays fresh', async () => {
    const { clock, server, owner, listen } = await scene();
    const stream = await listen();
    for (let ping = 1; ping <= 20; ping++) {
      await clock.advance(15_000);
      await stream.event('ping', ping);
    }
    const age = async (): Promise<unknown> => {
      const { body } = await owner.call<{ heartbeat_age_sec: number }[]>(
        'GET',
        '/v1/agents/app/live-sessions',
      );
      return body[0]?.heartbeat_age_sec;
    };
    await expect.poll(async () => Number(await age()) < 15).toBe(true);
    expect(stream.frames.at(-1)?.data).toEqual({ server_time: '2026-06-01T09:05:00.000Z' });
    expect((await owner.send('app', { delivery_mode: 'live' })).effective_delivery_mode).toBe('live');
    stream.close();
    await expect.poll(() => new HttpClient(server).metric(OPEN_STREAMS)).toBe(0);
    await clock.advance(135_000);
    expect((await owner.send('app', { delivery_mode: 'live' })).effective_delivery_mode).toBe('bg');
  });

  test('ends with its session and with its key', async () => {
    const { owner, listen } = await scene();
    const first = await listen();
    await owner.session('DELETE', 'app', 'main');
    await first.ended();
    const gone = await listen();
    expect([gone.status, await gone.json()]).toMatchObject([
      404,
      { error: { code: 'live_session_not_found' } },
    ]);

    await owner.attach('app', { task_name: 'app-live' });
    const second = await listen();
    expect(second.status).toBe(200);
    const rotated = await owner.call('POST', '/v1/auth/key/regenerate', {
      headers: { 'x-confirm-destructive': 'true' },
    });
    expect(rotated.status).toBe(200);
    await second.ended();
  });

  test('is for the owner only, and not without end for one session', async () => {
    const { server, listen, path } = await scene({ rateLimits: true });
    const stranger = await MessageClient.register(server);
    const foreign = await listen(stranger.owner.key);
    expect([foreign.status, await foreign.json()]).toMatchObject([
      404,
      { error: { code: 'agent_not_found' } },
    ]);
    const nobody = await SseReader.open(server, path);
    expect(nobody.status).toBe(401);
    const streams = await Promise.all([1, 2, 3, 4, 5].map(() => listen()));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const sixth = await listen();
    expect([sixth.status, sixth.headers['retry-after']]).toEqual([429, '3']);
    const told = expect.stringContaining('At most 5 at a time (PARLEY_RL_LIVE_STREAMS_PER_SESSION).');
    expect(await sixth.json()).toMatchObject({ error: { code: 'rate_limit_exceeded', message: told } });
    streams[0]?.close();
    const again = async (): Promise<number> => {
      const stream = await listen();
      stream.close();
      return stream.status;
    };
    await expect.poll(again).toBe(200);
    for (const stream of streams) stream.close();
  });

  test('ends when the server stops', async () => {
    const { server, listen } = await scene();
    const stream = await listen();
    for (const { context } of server.nodes) context.release();
    expect(await stream.ended()).toMatchObject({ over: true });
  });
});
