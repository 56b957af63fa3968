import { beforeAll, describe, expect, test } from 'vitest';
import { resolveNames } from '../../testing/agent-client.ts';
import { describeEachServer } from '../../../testing/each-server.ts';
import { CueClient } from '../../testing/cue-client.ts';
import { CueScene } from '../../testing/cue-scene.ts';

const RECURRING = { type: 'recurring', cron: '0 9 * * *' };
const CALLBACK = { url: 'https://hooks.example.com/x' };
const LONG = 'x'.repeat(256);

/** A body that is taken, changed in one place, and what is answered. `null` takes the field away. */
const REFUSED: readonly [object, number, string, string?][] = [
  [{ name: null }, 422, 'validation_error', 'body.name'],
  [{ name: '' }, 422, 'validation_error', 'body.name'],
  [{ name: '  ' }, 422, 'validation_error', 'body.name'],
  [{ name: LONG }, 422, 'validation_error', 'body.name'],
  [{ name: 7 }, 422, 'validation_error', 'body.name'],
  [{ description: 7 }, 422, 'validation_error', 'body.description'],
  [{ schedule: null }, 422, 'validation_error', 'body.schedule'],
  [{ schedule: 'daily' }, 422, 'validation_error', 'body.schedule'],
  [{ schedule: {} }, 422, 'validation_error', 'body.schedule.type'],
  [{ schedule: { type: 'weekly', cron: '0 9 * * *' } }, 400, 'invalid_schedule'],
  [{ schedule: { type: 'recurring' } }, 400, 'invalid_schedule'],
  [{ schedule: { type: 'recurring', cron: '* * * * * *' } }, 400, 'invalid_schedule'],
  [{ schedule: { type: 'recurring', cron: 'whenever' } }, 400, 'invalid_schedule'],
  [{ schedule: { type: 'once' } }, 400, 'invalid_schedule'],
  [{ schedule: { type: 'once', at: '2020-01-01T00:00:00Z' } }, 400, 'invalid_schedule'],
  [{ schedule: { type: 'once', at: '2026-06-01T09:00:00Z' } }, 400, 'invalid_schedule'],
  [{ schedule: { type: 'once', at: 'tomorrow' } }, 400, 'invalid_schedule'],
  [{ schedule: { ...RECURRING, timezone: 'Mars/Base' } }, 422, 'invalid_timezone'],
  [{ schedule: { ...RECURRING, timezone: 7 } }, 422, 'validation_error', 'body.schedule.timezone'],
  [{ callback: null }, 422, 'validation_error', 'body.callback.url'],
  [{ callback: {} }, 422, 'validation_error', 'body.callback.url'],
  [{ callback: { url: '' } }, 422, 'validation_error', 'body.callback.url'],
  [{ callback: { ...CALLBACK, transport: 'worker' } }, 422, 'validation_error', 'body.callback.transport'],
  [{ callback: { ...CALLBACK, method: 'DELETE' } }, 422, 'validation_error', 'body.callback.method'],
  [{ callback: { ...CALLBACK, headers: { 'a b': 'x' } } }, 422, 'validation_error'],
  [
    { callback: { ...CALLBACK, headers: { a: 'x\r\ny: z' } } },
    422,
    'validation_error',
    'body.callback.headers.a',
  ],
  [{ callback: { ...CALLBACK, headers: { a: 7 } } }, 422, 'validation_error', 'body.callback.headers.a'],
  [{ callback: { url: 'http://127.0.0.1/x' } }, 400, 'invalid_callback_url'],
  [{ callback: { url: 'https://inside.example.com/x' } }, 400, 'invalid_callback_url'],
  [{ callback: { url: 'ftp://hooks.example.com' } }, 400, 'invalid_callback_url'],
  [{ callback: { url: 'nonsense' } }, 400, 'invalid_callback_url'],
  [{ transport: 'pigeon' }, 422, 'validation_error', 'body.transport'],
  [{ agent: 'nobody' }, 404, 'agent_not_found'],
  [{ agent: 'a@b@c' }, 400, 'invalid_agent_address'],
  [{ agent: 'app', to: 'other' }, 422, 'validation_error', 'body.to'],
  [{ delivery_mode: 'pigeon', agent: 'app' }, 422, 'validation_error', 'body.delivery_mode'],
  [{ delivery_mode: 'live' }, 422, 'validation_error', 'body.delivery_mode'],
  [{ live_fallback_mode: 'none' }, 422, 'validation_error', 'body.live_fallback_mode'],
  [{ payload: [1] }, 422, 'validation_error', 'body.payload'],
  [{ payload: 'text' }, 422, 'validation_error', 'body.payload'],
  [{ payload: { a: 'x\0' } }, 400, 'invalid_payload'],
  [{ payload: { 'a\0': 1 } }, 400, 'invalid_payload'],
  [{ description: 'x\0' }, 422, 'validation_error', 'body.description'],
  [{ retry: { max_attempts: 0 } }, 422, 'validation_error', 'body.retry.max_attempts'],
  [{ retry: { max_attempts: 11 } }, 422, 'validation_error', 'body.retry.max_attempts'],
  [{ retry: { backoff_minutes: [] } }, 422, 'validation_error', 'body.retry.backoff_minutes'],
  [{ retry: { backoff_minutes: [-1] } }, 422, 'validation_error', 'body.retry.backoff_minutes.0'],
  [{ on_failure: { email: 'me' } }, 422, 'validation_error', 'body.on_failure.email'],
  [{ on_failure: { webhook: 'http://10.0.0.1/' } }, 400, 'invalid_callback_url'],
  [{ on_failure: { pause: 'yes' } }, 422, 'validation_error', 'body.on_failure.pause'],
  [{ verification: { mode: 'trust' } }, 422, 'validation_error', 'body.verification.mode'],
  [{ verification: { required_assertions: 'x' } }, 422, 'validation_error'],
  [{ delivery: { timeout_seconds: 0 } }, 422, 'validation_error', 'body.delivery.timeout_seconds'],
  [{ delivery: { timeout_seconds: 3601 } }, 422, 'validation_error', 'body.delivery.timeout_seconds'],
  [{ delivery: { outcome_deadline_seconds: 0 } }, 422, 'validation_error'],
  [{ delivery: { outcome_deadline_seconds: 3601 } }, 422, 'validation_error'],
  [{ alerts: { consecutive_failures: 0 } }, 422, 'validation_error'],
  [{ alerts: { consecutive_failures: 101 } }, 422, 'validation_error'],
  [{ alerts: { missed_window_multiplier: 11 } }, 422, 'validation_error'],
  [{ alerts: { missed_window_multiplier: 0.5 } }, 422, 'validation_error'],
  [{ catch_up: 'sometimes' }, 422, 'validation_error', 'body.catch_up'],
  [{ on_success_fire: 'cue_zzzzzzzzzzzz' }, 404, 'cue_not_found'],
  [{ on_success_fire: 'x' }, 404, 'cue_not_found'],
  [{ require_payload_override: 'yes' }, 422, 'validation_error', 'body.require_payload_override'],
  [{ required_payload_keys: [7] }, 422, 'validation_error', 'body.required_payload_keys.0'],
  [{ overlap: 'maybe' }, 422, 'validation_error', 'body.overlap'],
  [{ overlap: 'skip', schedule: { type: 'once', at: '2030-01-01T00:00:00Z' } }, 422, 'validation_error'],
  [{ jitter_seconds: 3601 }, 422, 'validation_error', 'body.jitter_seconds'],
  [{ attach: 'everything' }, 422, 'validation_error', 'body.attach'],
];

const valid = (more: object) => {
  const body = { name: `n${Math.random()}`, schedule: RECURRING, callback: CALLBACK, ...more };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
};

describeEachServer('cues › what is taken', (start) => {
  const scene = new CueScene(start, { resolve: resolveNames });
  beforeAll(async () => {
    await scene.max.create({ slug: 'app' });
  });

  test('everything that is wrong is told as such', async () => {
    for (const [change, status, code, field] of REFUSED) {
      const answer = await scene.max.tryCue(valid(change));
      const said = { status: answer.status, code: answer.body.error?.code, change };
      expect(said).toEqual({ status, code, change });
      if (field !== undefined) expect(answer.body.error.details?.[0]?.field).toBe(field);
    }
    expect((await scene.max.cues()).total).toBe(0);
  });

  test('defaults, and nothing more than is declared', async () => {
    const { body } = await scene.max.tryCue(valid({ name: ' daily ', nonsense: true }));
    expect(body).toEqual({
      id: expect.stringMatching(/^cue_[a-z0-9]{12}$/),
      name: 'daily',
      description: null,
      status: 'active',
      schedule: { type: 'recurring', cron: '0 9 * * *', timezone: 'UTC' },
      transport: 'webhook',
      callback: { url: CALLBACK.url, method: 'POST', headers: {} },
      agent: null,
      agent_id: null,
      delivery_mode: null,
      live_fallback_mode: null,
      payload: {},
      retry: { max_attempts: 3, backoff_minutes: [1, 5, 15] },
      on_failure: { email: true, webhook: null, pause: false },
      verification: null,
      delivery: null,
      alerts: null,
      catch_up: 'run_once_if_missed',
      on_success_fire: null,
      require_payload_override: false,
      required_payload_keys: [],
      next_run: '2026-06-02T09:00:00.000Z',
      last_run: null,
      run_count: 0,
      fired_count: 0,
      warning: null,
      created_at: '2026-06-01T09:00:00.000Z',
      updated_at: '2026-06-01T09:00:00.000Z',
    });
    const again = await scene.max.tryCue(valid({ name: 'daily' }));
    expect([again.status, again.body.error.code]).toEqual([409, 'duplicate_cue_name']);
  });

  test('flat bodies of older clients', async () => {
    const flat = { name: 'flat', cron: '@daily', timezone: 'Europe/Berlin', callback_url: CALLBACK.url };
    expect((await scene.max.tryCue(flat)).body).toMatchObject({
      schedule: { type: 'recurring', cron: '@daily', timezone: 'Europe/Berlin' },
      transport: 'webhook',
      callback: { url: CALLBACK.url, method: 'POST' },
    });
    const once = {
      name: 'flat once',
      at: '2026-06-02T09:00:00',
      timezone: 'America/Los_Angeles',
      worker: true,
    };
    expect((await scene.max.tryCue(once)).body).toMatchObject({
      schedule: { type: 'once', at: '2026-06-02T16:00:00.000Z' },
      transport: 'worker',
      callback: null,
      warning: expect.stringMatching(/^No active workers found/),
    });
  });

  test('no warning once a worker has been heard of, for three minutes', async () => {
    const workers = { callback: null, transport: 'worker' };
    const warning = async () => (await scene.max.tryCue(valid(workers))).body.warning;
    expect(await warning()).toMatch(/^No active workers found/);
    await scene.max.workerBeats('w', []);
    expect(await warning()).toBeNull();
    await scene.clock.leap(180_000);
    expect(await warning()).toMatch(/^No active workers found/);
  });

  test('every field comes back as it was sent, and spellings as one', async () => {
    const fields = {
      description: 'text',
      callback: { url: CALLBACK.url, method: 'PUT', headers: { 'X-Mine': '1' } },
      payload: { deep: { é: [1, null, '\u2028'] } },
      retry: { max_attempts: 10, backoff_minutes: [0.5, 60] },
      on_failure: { email: false, webhook: CALLBACK.url, pause: true },
      verification: { mode: 'require_artifacts', required_assertions: ['a'] },
      delivery: { timeout_seconds: 3600, outcome_deadline_seconds: 1 },
      alerts: { consecutive_failures: 100, missed_window_multiplier: 10 },
      require_payload_override: true,
      required_payload_keys: ['k'],
      overlap: 'queue',
      jitter_seconds: 5,
    };
    const sent = {
      ...fields,
      catch_up: 'replay_all',
      to: 'app',
      live_fallback_mode: 'fallback_to_background',
    };
    const { status, body } = await scene.max.tryCue(valid(sent));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ...fields,
      catch_up: 'replay_all_missed',
      live_fallback_mode: 'background',
      agent: `app@${scene.max.owner.slug}`,
      agent_id: expect.stringMatching(/^agent_/),
    });
  });

  test('a name that leads nowhere is told', async () => {
    const { status, body } = await scene.max.tryCue(valid({ callback: { url: 'https://gone.example.com' } }));
    expect([status, body.warning]).toEqual([201, 'hostname did not resolve']);
  });

  describe('changes', () => {
    test('keep what is left out, and clear what is null', async () => {
      const { body: cue } = await scene.max.tryCue(
        valid({ description: 'd', delivery: {}, payload: { a: 1 } }),
      );
      const { body } = await scene.max.patchCue(cue.id, { description: null, delivery: null });
      expect(body).toMatchObject({
        description: null,
        delivery: null,
        payload: { a: 1 },
        next_run: cue.next_run,
      });
      const moved = await scene.max.patchCue(cue.id, {
        schedule: { type: 'recurring', cron: '0 10 * * *', timezone: 'UTC' },
      });
      expect(moved.body.next_run).toBe('2026-06-01T10:00:00.000Z');
    });

    test.each([
      [{ transport: 'worker' }, 422, 'validation_error'],
      [{ status: 'completed' }, 422, 'validation_error'],
      [{ nonsense: 1 }, 422, 'validation_error'],
      [{}, 422, 'no_fields'],
      [{ callback: null }, 422, 'validation_error'],
      [{ name: 'daily' }, 409, 'duplicate_cue_name'],
      [{ schedule: { type: 'once', at: '2020-01-01T00:00:00Z' } }, 400, 'invalid_schedule'],
      [{ callback: { url: 'http://localhost/' } }, 400, 'invalid_callback_url'],
      [{ payload: { a: '\0' } }, 400, 'invalid_payload'],
    ])('%j is refused', async (patch, status, code) => {
      const { body: cue } = await scene.max.tryCue(valid({}));
      const answer = await scene.max.patchCue(cue.id, patch);
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
      await scene.max.patchCue(cue.id, { on_success_fire: null });
      const self = await scene.max.patchCue(cue.id, { on_success_fire: cue.id });
      expect(self.status).toBe(422);
    });

    test('pausing takes the next time away, and resuming computes it from then', async () => {
      const { body: cue } = await scene.max.tryCue(valid({}));
      expect((await scene.max.patchCue(cue.id, { status: 'paused' })).body.next_run).toBeNull();
      const { body } = await scene.max.patchCue(cue.id, { status: 'active' });
      expect(body).toMatchObject({ status: 'active', next_run: '2026-06-02T09:00:00.000Z' });
    });
  });

  test('lists are paged, filtered and counted; deleting takes the runs along', async () => {
    const before = (await scene.max.cues()).total;
    const { body: cue } = await scene.max.tryCue(valid({}));
    const run = await scene.max.fire(cue.id);
    await scene.max.patchCue(cue.id, { status: 'paused' });
    const paused = await scene.max.cues({ status: 'paused', limit: 1 });
    expect(paused).toMatchObject({ total: 1, limit: 1, offset: 0, cues: [{ id: cue.id }] });
    expect((await scene.max.call('GET', '/v1/cues', { query: { status: 'x' } })).status).toBe(422);
    expect((await scene.max.call('GET', '/v1/cues', { query: { limit: 101 } })).status).toBe(422);
    expect((await scene.max.call('DELETE', `/v1/cues/${cue.id}`)).status).toBe(204);
    expect((await scene.max.call('GET', `/v1/executions/${run.id}`)).status).toBe(404);
    const gone = await scene.max.call('GET', `/v1/cues/${cue.id}`);
    expect([gone.status, gone.body.error.code]).toEqual([404, 'cue_not_found']);
    expect((await scene.max.cues()).total).toBe(before);
  });

  test('a cue comes with a page of its runs', async () => {
    const { body: cue } = await scene.max.tryCue(valid({ callback: null, transport: 'worker' }));
    const fired: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      fired.unshift((await scene.max.fire(cue.id)).id);
      await scene.clock.leap(1000);
    }
    const page = await scene.max.readCue(cue.id, { execution_limit: 2, execution_offset: 1 });
    expect(page).toMatchObject({ execution_total: 3, execution_limit: 2, execution_offset: 1 });
    expect(page.executions.map(({ id }) => id)).toEqual(fired.slice(1));
    for (const query of ['execution_limit=0', 'execution_limit=101', 'execution_offset=-1']) {
      expect((await scene.max.call('GET', `/v1/cues/${cue.id}?${query}`)).status).toBe(422);
    }
  });

  test('many are deleted at once, when that is confirmed', async () => {
    const { body: cue } = await scene.max.tryCue(valid({}));
    const ids = ['cue_zzzzzzzzzzzz', cue.id, 'nonsense', cue.id];
    const call = { body: { ids } };
    const unconfirmed = await scene.max.call('POST', '/v1/cues/bulk-delete', call);
    expect([unconfirmed.status, unconfirmed.body.error.code]).toEqual([400, 'confirmation_required']);
    const headers = { 'X-Confirm-Destructive': 'true' };
    const { body } = await scene.max.call('POST', '/v1/cues/bulk-delete', { ...call, headers });
    expect(body).toEqual({ deleted: [cue.id], skipped: ['cue_zzzzzzzzzzzz', 'nonsense', cue.id] });
    for (const bad of [[], Array.from({ length: 101 }, () => cue.id), 'x']) {
      const answer = await scene.max.call('POST', '/v1/cues/bulk-delete', { body: { ids: bad }, headers });
      expect(answer.status).toBe(422);
    }
  });
});

describeEachServer('cues › how many', (start) => {
  const planActiveCues = { self_hosted: 2, free: 10, pro: 100, scale: 500 };
  const scene = new CueScene(start, { planActiveCues });

  test('the plan counts what is active or paused', async () => {
    const one = await scene.max.cue();
    await scene.max.patchCue(one.id, { status: 'paused' });
    await scene.max.cue();
    const refused = await scene.max.tryCue({ name: 'third', cron: '@daily', worker: true });
    expect([refused.status, refused.body.error.code]).toEqual([403, 'cue_limit_exceeded']);
    expect(refused.body.error).toMatchObject({ limit: 2, current: 2 });
    const me = await scene.max.call('GET', '/v1/auth/me');
    expect(me.body).toMatchObject({ active_cues: 2, active_cue_limit: 2 });
    await scene.max.call('DELETE', `/v1/cues/${one.id}`);
    await scene.max.cue();
  });

  test('one that is over comes back only where there is room for it', async () => {
    const { clock } = scene;
    const max = await CueClient.register(scene.server);
    const at = (ms: number) => ({ type: 'once', at: new Date(clock.now() + ms).toISOString() });
    const { body: once } = await max.tryCue({ name: 'once', schedule: at(60_000), transport: 'worker' });
    const fired = await max.call('POST', `/v1/cues/${once.id}/fire`);
    await max.patchCue(once.id, { status: 'paused' });
    await max.call('POST', `/v1/executions/${String(fired.body.id)}/outcome`, { body: { success: true } });
    expect((await max.call('GET', `/v1/cues/${once.id}`)).body.status).toBe('completed');
    await max.cue();
    const other = await max.cue();
    const again = { status: 'active', schedule: at(120_000) };
    const refused = await max.call('PATCH', `/v1/cues/${once.id}`, { body: again });
    expect([refused.status, refused.body.error.code]).toEqual([403, 'cue_limit_exceeded']);
    await max.call('DELETE', `/v1/cues/${other.id}`);
    const back = await max.call('PATCH', `/v1/cues/${once.id}`, { body: again });
    expect([back.status, back.body.status]).toEqual([200, 'active']);
  });
});
