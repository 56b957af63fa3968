import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { type DeliveryErrorAnswer, People, tally } from '../testing/people.ts';
import { readAccount } from './account.ts';

const CONFIRMED = { 'x-confirm-destructive': 'true' };
const HOUR = 3_600_000;

describeEachServer('account', (start) => {
  const clock = new FakeClock();
  const names: Record<string, string[]> = {
    'hooks.example.com': ['203.0.113.9'],
    'inside.example.com': ['10.0.0.1'],
  };
  let server: TestServer;
  let people: People;

  beforeAll(async () => {
    server = await start({
      clock,
      rateLimits: false,
      resolve: async (name) => names[name] ?? [],
    });
    people = new People(server);
  });

  const me = (key: string) => people.call('GET', '/v1/auth/me', { key });
  const patch = (key: string, body: unknown) =>
    people.call<Record<string, string> & DeliveryErrorAnswer>('PATCH', '/v1/auth/me', { key, body });
  const regenerate = (key: string, headers: Record<string, string> = CONFIRMED) =>
    people.call<Record<string, string> & DeliveryErrorAnswer>('POST', '/v1/auth/key/regenerate', {
      key,
      headers,
    });

  test('shows the owner, the plan without limits and the key in use', async () => {
    const { key, id } = await people.owner('ada@example.com');
    expect((await me(key)).body).toEqual({
      id,
      email: 'ada@example.com',
      slug: 'ada',
      plan: 'self_hosted',
      active_cues: 0,
      active_cue_limit: null,
      executions_this_month: 0,
      monthly_execution_limit: null,
      messages_this_month: 0,
      monthly_message_limit: null,
      rate_limit_per_minute: null,
      has_webhook_secret: true,
      api_key_prefix: key.slice(0, 12),
    });
  });

  test('shows the limits of the plan the operator set, and what the counting module counted', async () => {
    const other = await start({ defaultPlan: 'free' });
    other.context.identity.hooks.usage.push(async () => ({
      activeCues: 1,
      executionsThisMonth: 2,
      messagesThisMonth: 3,
      liveSessions: 0,
    }));
    const strangers = new People(other);
    const { key } = await strangers.owner();
    expect((await strangers.call('GET', '/v1/auth/me', { key })).body).toMatchObject({
      plan: 'free',
      active_cues: 1,
      active_cue_limit: 10,
      executions_this_month: 2,
      monthly_execution_limit: 300,
      messages_this_month: 3,
      monthly_message_limit: 300,
      rate_limit_per_minute: 60,
    });
  });

  test('shows the limits of a plan as the settings have changed it', async () => {
    const changed = { self_hosted: 0, free: 7, pro: 0, scale: 0 };
    const strangers = new People(
      await start({
        defaultPlan: 'free',
        planRequestsPerMinute: changed,
        planActiveCues: changed,
        planExecutionsPerMonth: changed,
        planMessagesPerMonth: { ...changed, free: 0 },
      }),
    );
    const { key } = await strangers.owner();
    expect((await strangers.call('GET', '/v1/auth/me', { key })).body).toMatchObject({
      active_cue_limit: 7,
      monthly_execution_limit: 7,
      monthly_message_limit: null,
      rate_limit_per_minute: 7,
    });
  });

  test('has no email when it was made by an agent', async () => {
    const { key } = await people.agent('lone wolf');
    expect((await me(key)).body).toMatchObject({ email: null, slug: 'lone-wolf' });
  });

  describe('change', () => {
    test('takes a new email, but not one that another has', async () => {
      const { key } = await people.owner('first@example.com');
      await people.owner('second@example.com');
      await clock.advance(1000);
      const { status, body } = await patch(key, { email: 'third@example.com' });
      expect(status).toBe(200);
      expect(body).toEqual({ updated_at: new Date(clock.now()).toISOString() });
      expect((await me(key)).body.email).toBe('third@example.com');
      expect((await patch(key, { email: 'Third@example.com' })).status).toBe(200);
      const taken = await patch(key, { email: 'SECOND@example.com' });
      expect(taken.status).toBe(409);
      expect(taken.body.error.code).toBe('duplicate_email');
    });

    test('changes the slug once, to one that is free', async () => {
      const { key, slug } = await people.owner();
      const { slug: other } = await people.owner();
      expect((await patch(key, { slug })).status).toBe(200);
      expect((await patch(key, { slug: other })).body.error).toMatchObject({
        code: 'slug_taken',
        status: 409,
      });
      expect((await patch(key, { slug: 'Chosen-One' })).status).toBe(200);
      expect((await people.whoami(key)).body.owner.slug).toBe('chosen-one');
      expect((await patch(key, { slug: 'chosen-one' })).status).toBe(200);
      expect((await patch(key, { slug: 'again' })).body.error).toMatchObject({
        code: 'slug_locked',
        status: 409,
      });
      expect((await patch(key, { slug: '-bad-' })).status).toBe(422);
    });

    test('gives a slug that ten want at once to one of them', async () => {
      const owners = await Promise.all(Array.from({ length: 10 }, () => people.owner()));
      const answers = await Promise.all(owners.map(({ key }) => patch(key, { slug: 'the-one' })));
      expect(tally(answers)).toEqual({ 200: 1, 409: 9 });
    });

    test('wants something to change', async () => {
      const { key } = await people.owner();
      for (const body of ['', {}, { plan: 'scale' }]) {
        expect((await patch(key, body)).body.error).toMatchObject({ code: 'no_fields', status: 422 });
      }
    });

    test('keeps nothing of a change that fails in part', async () => {
      const { key } = await people.owner('whole@example.com');
      await people.owner('other@example.com');
      expect((await patch(key, { slug: 'halfway', email: 'other@example.com' })).status).toBe(409);
      expect((await me(key)).body).toMatchObject({ slug: 'whole', email: 'whole@example.com' });
    });
  });

  describe('alert webhook', () => {
    test.each([
      'http://10.0.0.1/x',
      'https://inside.example.com/',
      'ftp://hooks.example.com',
      'https://a:b@hooks.example.com/',
      'nonsense',
      'http://localhost/',
      'http://2130706433/',
    ])('is refused at %s', async (url) => {
      const { key } = await people.owner();
      const answer = await patch(key, { alert_webhook_url: url });
      expect(answer.status).toBe(400);
      expect(answer.body.error.code).toBe('invalid_alert_webhook_url');
    });

    test('is kept, with a secret, and cleared by an empty text', async () => {
      const { key, id } = await people.owner();
      const stored = async () => (await readAccount(server.context.identity, id)).owner;
      expect((await patch(key, { alert_webhook_url: 'https://hooks.example.com/in' })).status).toBe(200);
      expect(await stored()).toMatchObject({ alert_webhook_url: 'https://hooks.example.com/in' });
      expect((await stored()).alert_webhook_secret).toMatch(/^v1\./);
      await patch(key, { alert_webhook_url: '' });
      expect((await stored()).alert_webhook_url).toBeNull();
    });

    test('comes with a warning when the name does not resolve', async () => {
      const { key } = await people.owner();
      const answer = await patch(key, { alert_webhook_url: 'https://nowhere.example.com/' });
      expect(answer.status).toBe(200);
      expect(answer.body.warning).toBe('hostname did not resolve');
    });
  });

  describe('signing secrets', () => {
    test.each([
      ['webhook-secret', 'webhook_secret', /^whsec_[0-9a-f]{64}$/],
      ['alert-webhook-secret', 'alert_webhook_secret', /^[0-9a-f]{64}$/],
    ])(
      '%s is made on first read, the same for all who read at once, and can be replaced',
      async (path, name, form) => {
        const { key } = await people.owner();
        const read = () => people.call<Record<string, string>>('GET', `/v1/auth/${path}`, { key });
        const rotate = (headers: Record<string, string>, body?: object) =>
          people.call<Record<string, string>>('POST', `/v1/auth/${path}/regenerate`, { key, headers, body });
        const first = await Promise.all(Array.from({ length: 5 }, read));
        const secrets = new Set(first.map(({ body }) => body[name]));
        expect(secrets.size).toBe(1);
        expect([...secrets][0]).toMatch(form);

        const unconfirmed = await rotate({ 'x-confirm-destructive': 'yes' });
        expect(unconfirmed.status).toBe(400);
        expect(unconfirmed.body.error).toMatchObject({ code: 'confirmation_required' });
        expect((await read()).body).toEqual(first[0]?.body);

        const { status, body } = await rotate(CONFIRMED);
        expect(status).toBe(200);
        expect(body).toEqual({ [name]: expect.stringMatching(form), previous_secret_revoked: true });
        expect(secrets.has(body[name])).toBe(false);
        expect((await read()).body[name]).toBe(body[name]);

        const overlapping = await rotate(CONFIRMED, { overlap_seconds: 60 });
        expect(overlapping.body).toMatchObject({
          previous_secret_revoked: false,
          previous_valid_until: new Date(clock.now() + 60_000).toISOString(),
        });
        expect((await rotate(CONFIRMED, { overlap_seconds: 86_401 })).status).toBe(422);
      },
    );

    test('shows that there is one, before and after somebody asked for it', async () => {
      const { key } = await people.owner();
      expect((await me(key)).body.has_webhook_secret).toBe(true);
      await people.call('GET', '/v1/auth/webhook-secret', { key });
      expect((await me(key)).body.has_webhook_secret).toBe(true);
    });
  });

  describe('key regeneration', () => {
    test('wants to be confirmed', async () => {
      const { key } = await people.owner();
      expect((await regenerate(key, {})).body.error.code).toBe('confirmation_required');
      expect((await me(key)).status).toBe(200);
    });

    test('replaces the key; the old one is told apart for a day', async () => {
      const { key, id } = await people.owner();
      const session = await people.login(key);
      const { status, body } = await regenerate(key, { 'x-confirm-destructive': ' TRUE ' });
      expect(status).toBe(200);
      expect(body).toEqual({
        api_key: expect.stringMatching(/^cue_sk_[0-9a-f]{32}$/),
        previous_key_revoked: true,
      });
      expect((await me(body.api_key ?? '')).body.id).toBe(id);
      expect((await people.whoami(session)).status).toBe(401);
      const codeNow = async () =>
        (await people.call<DeliveryErrorAnswer>('GET', '/v1/auth/me', { key })).body.error.code;
      expect(await codeNow()).toBe('key_rotated');
      await clock.leap(24 * HOUR - 1);
      expect(await codeNow()).toBe('key_rotated');
      await clock.advance(1);
      expect(await codeNow()).toBe('invalid_api_key');
    });

    test('keeps what the old key was allowed', async () => {
      const { key } = await people.owner();
      const { body: narrow } = await people.call<{ api_key: string }>('POST', '/v1/keys', {
        key,
        body: { scopes: ['admin:peers'], read_namespaces: ['memory'], label: 'narrow' },
      });
      const { body } = await regenerate(narrow.api_key);
      expect((await people.whoami(body.api_key ?? '')).body).toMatchObject({
        scopes: ['admin:peers'],
        read_namespaces: ['memory'],
      });
      expect((await me(key)).status).toBe(200);
    });

    test('has one winner', async () => {
      const { key } = await people.owner();
      const answers = await Promise.all(Array.from({ length: 10 }, () => regenerate(key)));
      expect(tally(answers)).toEqual({ 200: 1, 401: 9 });
    });
  });
});
