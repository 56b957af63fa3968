import type { Earlier, Step } from './example-run.ts';

const nothing = () => ({});
const CONFIRMED = { 'x-confirm-destructive': 'true' };
const bot = () => ({ path: ['night-shift'] });
const run = (of: Earlier) => [of('cue_fire', 'execution_id')];
const cue = (of: Earlier) => ({ path: [of('cue_create', 'id')] });

const AGENTS: readonly Step[] = [
  [
    'agent_create',
    () => ({
      body: { slug: 'night-shift', display_name: 'Night Shift', delivery_capabilities: ['bg', 'inbox'] },
    }),
  ],
  ['key_create agent', () => ({ body: { label: 'night shift', agent: 'night-shift' } })],
  ['agent_list', () => ({ query: { limit: '10' } })],
  ['agent_directory', nothing],
  ['agent_roster', nothing],
  ['agent_read', bot],
  ['agent_update', () => ({ ...bot(), body: { webhook_url: 'https://hooks.example.org/night' } })],
  ['agent_webhook_secret_read', bot],
  ['agent_webhook_secret_regenerate', () => ({ ...bot(), body: {}, headers: CONFIRMED })],
  [
    'agent_profile_update',
    () => ({ ...bot(), body: { specialization: 'tides', work_style: 'async', agent_card: true } }),
  ],
  ['agent_card', (of) => ({ query: { agent: of('agent_read', 'address') }, as: 'nobody' })],
  ['agent_profile_read', bot],
  ['agent_presence', bot],
  ['agent_heartbeat', () => ({ ...bot(), body: { channel: 'bg' } })],
  ['live_session_attach', () => ({ ...bot(), body: { label: 'main', task_name: 'night-main' } })],
  ['live_session_list', bot],
  ['live_session_update', () => ({ path: ['night-shift', 'main'], body: { is_default: true } })],
  ['live_session_heartbeat', () => ({ path: ['night-shift', 'main'], body: {} })],
  ['live_session_detach', () => ({ path: ['night-shift', 'main'] })],
  [
    'subscription_create',
    () => ({ ...bot(), body: { event_type: 'message.delivered', delivery_target: 'pull' } }),
  ],
  ['subscription_list', bot],
];

const MESSAGES: readonly Step[] = [
  [
    'message_send',
    () => ({
      body: { to: 'night-shift', subject: 'High water', body: 'When is it today?', expects_reply: true },
      headers: { 'idempotency-key': 'high-water-1' },
    }),
  ],
  ['message_get', (of) => ({ path: [of('message_send', 'id')] })],
  ['agent_inbox', () => ({ ...bot(), query: { limit: '10' } })],
  ['agent_sent', () => ({ path: ['self'], query: { limit: '10' } })],
  ['message_read', (of) => ({ path: [of('message_send', 'id')], body: {} })],
  ['message_invoked', (of) => ({ path: [of('message_send', 'id')], body: { bridge: 'laptop' } })],
  ['message_ack', (of) => ({ path: [of('message_send', 'id')], body: {} })],
  ['thread_resume', (of) => ({ path: [of('message_send', 'thread_id')], body: {} })],
  ['event_list', () => ({ ...bot(), query: { since: '0', limit: '10' } })],
  [
    'subscription_ack',
    (of) => ({ path: ['night-shift', of('subscription_create', 'id')], body: { acked_event_id: 1 } }),
  ],
  ['subscription_delete', (of) => ({ path: ['night-shift', of('subscription_create', 'id')] })],
  ['alert_list', () => ({ query: { limit: '10' } })],
];

const CUES: readonly Step[] = [
  [
    'cue_create',
    () => ({
      body: {
        name: 'tides',
        schedule: { type: 'recurring', cron: '0 6 * * *', timezone: 'Europe/Lisbon' },
        transport: 'worker',
        payload: { task: 'tides' },
      },
    }),
  ],
  ['cue_list', () => ({ query: { status: 'active' } })],
  ['cue_get', cue],
  ['cue_update', (of) => ({ ...cue(of), body: { description: 'Tables of today.' } })],
  ['cue_next', (of) => ({ ...cue(of), query: { count: '3' } })],
  [
    'cue_backfill',
    (of) => ({
      ...cue(of),
      body: { from: '2025-12-30T00:00:00Z', to: '2026-01-01T00:00:00Z', dry_run: true },
    }),
  ],
  ['cue_fire', (of) => ({ ...cue(of), body: { payload_override: { port: 'Lisbon' } } })],
  ['worker_heartbeat', () => ({ body: { worker_id: 'laptop', handlers: ['tides'] } })],
  ['worker_list', nothing],
  ['execution_list', () => ({ query: { limit: '10' } })],
  ['execution_claimable', () => ({ query: { task: 'tides' } })],
  ['execution_claim', (of) => ({ path: run(of), body: { worker_id: 'laptop' } })],
  ['execution_heartbeat', (of) => ({ path: run(of), body: {}, headers: { 'x-worker-id': 'laptop' } })],
  [
    'execution_outcome',
    (of) => ({
      path: run(of),
      body: { success: true, result: 'High water at 14:07.', external_id: 'run-7' },
    }),
  ],
  ['execution_evidence', (of) => ({ path: run(of), body: { summary: 'Table of Lisbon.' } })],
  ['execution_evidence_post', (of) => ({ path: run(of), body: { result_type: 'table' } })],
  ['execution_verify', (of) => ({ path: run(of), body: { valid: true } })],
  ['execution_get', (of) => ({ path: run(of) })],
  ['execution_attempts', (of) => ({ path: run(of) })],
  ['execution_replay', (of) => ({ path: run(of), body: {} })],
  ['execution_claim_next', () => ({ body: { worker_id: 'laptop', task: 'tides' } })],
  ['worker_delete', () => ({ path: ['laptop'] })],
  ['cue_bulk_delete', (of) => ({ body: { ids: [of('cue_create', 'id')] }, headers: CONFIRMED })],
  ['echo_store', () => ({ path: ['a-token-of-my-own-making'], body: { hello: 'tides' }, as: 'nobody' })],
  ['echo_read', () => ({ path: ['a-token-of-my-own-making'] })],
];

export const DELIVERY_STEPS: readonly Step[] = [...AGENTS, ...MESSAGES, ...CUES];
