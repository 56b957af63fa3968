import { runInNewContext } from 'node:vm';
import { fileURLToPath } from 'node:url';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FetchTransport } from './channels/fetch-transport.ts';
import { type HttpRequest, TransportError } from './channels/transport.ts';
import { DeliveryError } from './delivery/delivery-error.ts';
import { Parley } from './parley.ts';
import { RoomsError } from './rooms/rooms-error.ts';

/** Carries requests out and loses the first answers. */
class LossyTransport extends FetchTransport {
  losses = 0;
  readonly seen: HttpRequest[] = [];

  override async request(request: HttpRequest) {
    this.seen.push(request);
    const answer = await super.request(request);
    if (this.losses-- > 0) throw new TransportError('unreachable');
    return answer;
  }
}

describe('Parley', () => {
  let server: TestServer;
  let transport: LossyTransport;
  let parley: Parley;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    transport = new LossyTransport(server.url);
    parley = new Parley({ server: server.url, key: await keyOf('ada@example.org'), transport });
    await parley.agents.create({ slug: 'night-shift' });
  });
  afterAll(() => server.close());

  async function keyOf(email: string): Promise<string> {
    const made = await fetch(`${server.url}/v1/auth/register`, {
      method: 'POST',
      body: JSON.stringify({ email }),
    });
    return ((await made.json()) as { api_key: string }).api_key;
  }
  const agentKey = async (name: string): Promise<string> => {
    const made = await fetch(`${server.url}/v1/agent/register`, {
      method: 'POST',
      body: JSON.stringify({ name }),
    });
    return ((await made.json()) as { api_key: string }).api_key;
  };

  test('has every module, each typed by its declarations', async () => {
    expect((await parley.whoAmI()).peer_id).toBe('self');
    expect((await parley.agents.presence('night-shift')).slug).toBe('night-shift');
    expect((await parley.schedule.list()).items).toEqual([]);
    expect((await parley.coordination.peers()).ok).toBe(true);
    expect((await parley.knowledge.indexStatus()).ok).toBe(true);
    expect((await parley.memory.list()).capsules).toEqual([]);
    expect((await parley.cues.list()).cues).toEqual([]);
    const { agent } = await parley.keys.create({ agent: 'night-shift' });
    expect(agent).toMatch(/^agent_/);
  });

  test('a message whose answer is lost is sent again and stored once', async () => {
    transport.losses = 2;
    const sent = await parley.messages.send({ to: 'night-shift', body: 'When is high water?' });
    const { messages } = await parley.messages.inbox('night-shift');
    expect(messages.map(({ id }) => id)).toEqual([sent.id]);
    expect((await parley.messages.ack(sent.id)).delivery_state).toBe('acked');
  });

  test('what would be done twice is not sent again', async () => {
    transport.losses = 1;
    transport.seen.length = 0;
    await expect(parley.agents.create({ slug: 'once' })).rejects.toThrow(TransportError);
    expect(transport.seen).toHaveLength(1);
    expect((await parley.agents.read('once')).slug).toBe('once');
  });

  test('two agents take turns in a room, and are woken by its stream', async () => {
    const host = new Parley({ server: server.url, key: await agentKey('Host') });
    const guest = new Parley({ server: server.url, key: await agentKey('Guest') });
    const { id, room_id: room } = await host.rooms.offer({ topic: 'Tides' });
    expect((await guest.rooms.find({ q: 'tides' })).items.map((item) => item.id)).toContain(id);
    await guest.rooms.take(id);
    await host.rooms.say(room, 'When is high water?');
    const leaving = new AbortController();
    for await (const event of guest.rooms.wakes({ signal: leaving.signal })) {
      if (event.type !== 'room.turn_ready') continue;
      expect(event.room_id).toBe(room);
      await guest.rooms.acknowledge(event.delivery_id);
      break;
    }
    expect((await guest.rooms.say(room, 'At 14:07.')).turn).toBe(1);
    expect((await host.rooms.close(room)).state).toBe('CLOSED');
    const late = await guest.rooms.say(room, 'And at 2:30.').catch((error: unknown) => error);
    expect(late).toBeInstanceOf(RoomsError);
    expect((late as RoomsError).hint).not.toBe('');
  });

  test('a refusal is an error with the code of the server', async () => {
    const refused = await parley.agents.read('nobody').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DeliveryError);
    expect((refused as DeliveryError).code).toBe('agent_not_found');
    expect((refused as DeliveryError).body).toMatchObject({ error: { code: 'agent_not_found' } });
    const dots = await parley.messages.read('..').catch((error: unknown) => error);
    expect((dots as DeliveryError).code).toBe('message_not_found');
  });

  test('runs where there is nothing of Node', async () => {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('./parley.ts', import.meta.url))],
      bundle: true,
      write: false,
      platform: 'browser',
      format: 'iife',
      globalName: 'sdk',
      conditions: ['source'],
      logLevel: 'silent',
    });
    const page = {
      fetch,
      URL,
      URLSearchParams,
      AbortController,
      AbortSignal,
      TextDecoder,
      TextEncoder,
      crypto,
      setTimeout,
      clearTimeout,
    };
    const { Parley: InBrowser } = runInNewContext(`${outputFiles[0]?.text ?? ''};sdk`, page) as {
      Parley: typeof Parley;
    };
    const there = new InBrowser({ server: server.url, key: await agentKey('Page') });
    expect((await there.whoAmI()).agent?.slug).toBe('page');
  });
});
