import { generateKeyPairSync, sign } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { MessageClient } from '../testing/message-client.ts';

describeEachServer('execution › live-claim', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let max: MessageClient;
  let eve: MessageClient;
  let slug: string;
  let count = 0;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false });
    max = await MessageClient.register(server);
    eve = await MessageClient.register(server);
  });

  const receiver = async (client: MessageClient) => {
    slug = `app-${++count}`;
    await client.create({ slug, delivery_capabilities: ['live', 'bg', 'inbox'] });
  };
  beforeEach(() => receiver(max));

  const offer = async (client = max) => (await client.send(slug, { delivery_mode: 'live' })).execution_id;
  const claim = async (id: string, token: string, more: object = {}) => {
    const { status, body } = await max.liveClaim(id, { session_token: token, ...more });
    return status === 200 ? [body.attested, body.reason ?? body.attestation] : [status, body.error.code];
  };

  test('first, repeat and another token', async () => {
    await max.attach(slug, { session_token: 'A' });
    const id = await offer();
    await clock.advance(1000);
    const first = await max.liveClaim(id, { session_token: 'A' });
    await clock.advance(1000);
    expect(await max.liveClaim(id, { session_token: 'A' })).toMatchObject({ status: 200, body: first.body });
    expect(await claim(id, 'B')).toEqual([409, 'already_attested']);
    const at = first.body.live_claimed_at;
    await expect
      .poll(async () => (await max.read(slug)).body)
      .toMatchObject({ last_seen_at: at, live_sessions: [{ last_claim_at: at }] });
  });

  test('a repeat by a session that took over a plain claim names it again', async () => {
    await max.attach(slug, { session_token: 'A' });
    const id = await offer();
    await max.claim(id, 'w1');
    const first = await max.liveClaim(id, { session_token: 'A' });
    expect(first.body).toMatchObject({ attested: true, label: 'main' });
    expect((await max.liveClaim(id, { session_token: 'A' })).body).toEqual(first.body);
  });

  test('nobody takes what is not due yet', async () => {
    await max.attach(slug, { session_token: 'A' });
    const sent = await max.send(slug, { send_at: new Date(clock.now() + 60_000).toISOString() });
    expect(await claim(sent.execution_id, 'A')).toEqual([409, 'live_claim_window_closed']);
    expect(await max.message(sent.id)).toMatchObject({ state: 'queued', queued_at: null });
  });

  test('a wrong token is no claim: the window stays open', async () => {
    await max.attach(slug, { session_token: 'A' });
    const id = await offer();
    expect(await claim(id, 'B')).toEqual([false, 'token_mismatch']);
    expect(await max.execution(id)).toMatchObject({ status: 'pending', live_claimed_at: null });
    expect(await claim(id, 'A')).toEqual([true, 'token']);
  });

  test.each([
    [
      'another execution in the body',
      { exec_id: '00000000-0000-4000-8000-000000000000' },
      [400, 'exec_id_mismatch'],
    ],
    ['another task', { task_name: 'other' }, [false, 'token_mismatch']],
    ['the right task', { task_name: 'the-task' }, [true, 'token']],
  ])('%s', async (_what, more, expected) => {
    await max.attach(slug, { session_token: 'A', task_name: 'the-task' });
    expect(await claim(await offer(), 'A', more)).toEqual(expected);
  });

  test('the token of another session of the agent does not take an offer that is not its own', async () => {
    await max.attach(slug, { session_token: 'A', is_default: true });
    await max.attach(slug, { label: 'second', task_name: `${slug}-2`, session_token: 'B' });
    const id = await offer();
    expect(await claim(id, 'B')).toEqual([false, 'token_mismatch']);
    const second = (await max.send(slug, { delivery_mode: 'live', live_label: 'second' })).execution_id;
    expect(await claim(second, 'B')).toEqual([true, 'token']);
    expect((await max.execution(second)).claimed_by_worker).toBe('live:second');
  });

  test('a rotated token is good no more; what it attested stays', async () => {
    await max.attach(slug, { session_token: 'A' });
    const [before, after] = [await offer(), await offer()];
    await claim(before, 'A');
    await max.session('PATCH', slug, 'main', { session_token: 'B' });
    expect(await claim(after, 'A')).toEqual([false, 'token_mismatch']);
    expect(await claim(after, 'B')).toEqual([true, 'token']);
    expect(await claim(before, 'A')).toEqual([true, 'token']);
  });

  describe('hybrid', () => {
    test('a fleet without tokens is in its grace period: any token will do', async () => {
      await max.attach(slug);
      expect(await claim(await offer(), 'anything')).toEqual([true, 'grace']);
    });

    test('a repeat tells no more of a session that is not known than the first did', async () => {
      await max.attach(slug);
      const { execution_id: id } = await max.send(slug, { delivery_mode: 'bg' });
      const first = await max.liveClaim(id, { session_token: 'anything' });
      expect(first.body).toMatchObject({ attested: true, label: null, attestation: 'grace' });
      expect((await max.liveClaim(id, { session_token: 'anything' })).body).toEqual(first.body);
    });

    test('beside a session with a token, one without is known by its task name', async () => {
      await max.attach(slug, { is_default: true, task_name: `${slug}-bare` });
      await max.attach(slug, { label: 'new', task_name: `${slug}-new`, session_token: 'A' });
      const id = await offer();
      expect(await claim(id, 'anything')).toEqual([false, 'token_mismatch']);
      expect(await claim(id, `${slug}-bare`)).toEqual([true, 'task_name']);
    });
  });

  test.each([
    ['strict', 'anything', [false, 'token_mismatch']],
    ['strict', 'bare-task', [true, 'task_name']],
    ['grace', 'anything', [true, 'grace']],
  ] as const)('%s: %s', async (setting, token, expected) => {
    const other = await start({ clock, rateLimits: false, dlLiveAttestation: setting });
    const ann = await MessageClient.register(other);
    await ann.create({ slug: 'app', delivery_capabilities: ['live'] });
    await ann.attach('app', { task_name: 'bare-task', ...(setting === 'grace' && { session_token: 'A' }) });
    const { execution_id: id } = await ann.send('app', { delivery_mode: 'live' });
    const { body } = await ann.liveClaim(id, { session_token: token });
    expect([body.attested, body.reason ?? body.attestation]).toEqual(expected);
  });

  test('a session with a key must sign', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const attestation_key = publicKey.export({ format: 'jwk' }).x;
    await max.attach(slug, { session_token: 'A', attestation_key });
    const id = await offer();
    const proof = (text: string) => sign(null, Buffer.from(text), privateKey).toString('base64');
    expect(await claim(id, 'A')).toEqual([false, 'proof_required']);
    expect(await claim(id, 'A', { proof: proof('another') })).toEqual([false, 'proof_required']);
    expect(await claim(id, 'A', { proof: proof(id) })).toEqual([true, 'proof']);
  });

  test('a plain claim closes the window unproved; the session can still attest it', async () => {
    await max.attach(slug, { session_token: 'A' });
    const id = await offer();
    expect((await max.claim(id, 'worker')).status).toBe(200);
    expect(await max.execution(id)).toMatchObject({
      status: 'delivering',
      delivery_route: 'live_unverified',
      effective_delivery_mode: 'live',
    });
    await clock.advance(60_000);
    expect((await max.execution(id)).status).toBe('delivering');
    expect(await claim(id, 'A')).toEqual([true, 'token']);
    expect(await max.execution(id)).toMatchObject({ delivery_route: 'live', claimed_by_worker: 'worker' });
    expect(
      (await max.outcome(id, { success: true, metadata: { executed_via: 'live' } })).body.executed_via,
    ).toBe('live');
  });

  test('any execution may be attested: a background push that a session took over becomes live', async () => {
    await max.attach(slug, { session_token: 'A' });
    const { execution_id: id } = await max.send(slug, { delivery_mode: 'bg' });
    expect(await claim(id, 'A')).toEqual([true, 'token']);
    expect(await max.execution(id)).toMatchObject({
      delivery_route: 'live',
      effective_delivery_mode: 'live',
    });
  });

  test('a live sibling takes back what was given to its parent, and has it then', async () => {
    const parent = await max.create({ slug: `${slug}-parent`, delivery_capabilities: ['bg'] });
    const young = `${slug}-young`;
    const { id: sibling } = await max.create({
      slug: young,
      parent_agent_id: parent.id,
      delivery_capabilities: ['live', 'inbox'],
    });
    const { execution_id: id } = await max.send(young, { delivery_mode: 'live' });
    expect((await max.execution(id)).agent_id).toBe(parent.id);
    await max.attach(young, { session_token: 'A' });
    expect(await claim(id, 'A')).toEqual([true, 'token']);
    expect(await max.execution(id)).toMatchObject({ agent_id: sibling, delivery_route: 'live' });
  });

  test('a session takes over what a background handler claimed, unless it is there in place of a session', async () => {
    const { execution_id: fallen } = await max.send(slug, { delivery_mode: 'live' });
    await max.attach(slug, { session_token: 'A' });
    const { execution_id: direct } = await max.send(slug, { delivery_mode: 'bg' });
    for (const id of [direct, fallen]) expect((await max.claim(id, 'worker')).status).toBe(200);
    expect(await claim(direct, 'A')).toEqual([true, 'token']);
    expect(await max.execution(direct)).toMatchObject({
      delivery_route: 'live',
      effective_delivery_mode: 'live',
      claimed_by_worker: 'worker',
    });
    expect((await max.outcome(direct, { success: true, executed_via: 'live' })).body.executed_via).toBe(
      'live',
    );
    expect(await claim(fallen, 'A')).toEqual([409, 'live_claim_window_closed']);
  });

  test.each([
    ['a reported one', (id: string) => max.outcome(id, { success: true })],
    ['one whose session left without a fallback', () => max.session('DELETE', slug, 'main')],
  ])('%s is closed', async (_what, close) => {
    await max.attach(slug, { session_token: 'A' });
    const { execution_id: id } = await max.send(slug, { delivery_mode: 'live', live_fallback_mode: 'none' });
    await close(id);
    if ((await max.read(slug)).body.live_sessions.length === 0)
      await max.attach(slug, { session_token: 'A' });
    expect(await claim(id, 'A')).toEqual([409, 'live_claim_window_closed']);
  });

  test.each(['00000000-0000-4000-8000-000000000000', 'x', 'msg_000000000000'])(
    '%s is unknown',
    async (id) => {
      expect(await claim(id, 'A')).toEqual([404, 'execution_not_found']);
    },
  );

  test('of another owner is unknown, also to the sender', async () => {
    await max.attach(slug, { session_token: 'A' });
    const { execution_id: id } = await eve.send(`${slug}@${max.owner.slug}`, { delivery_mode: 'live' });
    const answer = await eve.liveClaim(id, { session_token: 'A' });
    expect([answer.status, answer.body.error.code]).toEqual([404, 'execution_not_found']);
  });
});
