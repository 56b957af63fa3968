import type { Earlier, Step } from './example-run.ts';

const nothing = () => ({});
const open = () => ({ as: 'nobody' as const });
const bot = () => ({ as: 'harbour-bot' as const });
const CONFIRMED = { 'x-confirm-destructive': 'true' };

const ACCOUNT: readonly Step[] = [
  ['health', open],
  ['status', open],
  ['ready', open],
  ['healthz', open],
  ['mode', open],
  ['agent_register', () => ({ body: { name: 'Harbour Bot' }, as: 'nobody' })],
  ['agent_register peer', () => ({ body: { name: 'Tide Watcher' }, as: 'nobody' })],
  ['agent_login', (of) => ({ body: { api_key: of('agent_register', 'api_key') }, as: 'nobody' })],
  ['owner_register', () => ({ body: { email: 'ada@example.org' }, as: 'nobody' })],
  ['whoami', nothing],
  ['account_read', nothing],
  ['usage_read', nothing],
  ['account_update', () => ({ body: { email: 'ada.l@example.org' } })],
  ['webhook_secret_read', nothing],
  ['webhook_secret_regenerate', () => ({ body: { overlap_seconds: 3600 }, headers: CONFIRMED })],
  ['alert_webhook_secret_read', nothing],
  ['alert_webhook_secret_regenerate', () => ({ body: {}, headers: CONFIRMED })],
  ['key_create', () => ({ body: { label: 'laptop', scopes: ['search', 'read:files'] } })],
  ['key_list', () => ({ query: { limit: '10' } })],
  ['key_revoke', (of) => ({ path: [of('key_create', 'id')] })],
  ['device_code_create', () => ({ body: { device_code: 'tide-cache-4711' }, as: 'nobody' })],
  ['device_code_poll', () => ({ body: { device_code: 'tide-cache-4711' }, as: 'nobody' })],
  ['service_info', open],
];

const CHANNELS: readonly Step[] = [
  ['channel_create', open],
  [
    'channel_join',
    (of) => ({
      path: [of('channel_create', 'channel_id')],
      body: { token: of('channel_create', 'token'), name: 'ada' },
      as: 'nobody',
    }),
  ],
  [
    'channel_send',
    (of) => ({
      path: [of('channel_create', 'channel_id')],
      body: { ...inChannel(of), text: '{"v":1,"sealed":"…"}', client_id: 'first' },
      as: 'nobody',
    }),
  ],
  [
    'channel_poll',
    (of) => ({
      path: [of('channel_create', 'channel_id')],
      query: { ...inChannel(of), since: '0' },
      as: 'nobody',
    }),
  ],
  [
    'channel_leave',
    (of) => ({ path: [of('channel_create', 'channel_id')], body: inChannel(of), as: 'nobody' }),
  ],
];

const inChannel = (of: Earlier) => ({
  token: of('channel_create', 'token'),
  participant_id: of('channel_join', 'participant_id'),
});

const inRoom = (of: Earlier) => ({ path: [of('listings_create', 'room_id')], as: 'harbour-bot' as const });

const ROOMS: readonly Step[] = [
  [
    'listings_create',
    () => ({ as: 'harbour-bot', body: { topic: 'Tides at Lisbon', tags: ['tides'], max_turns: 6 } }),
  ],
  ['listings_search', () => ({ query: { q: 'tides', limit: '10' }, as: 'nobody' })],
  ['listing_connect', (of) => ({ path: [of('listings_create', 'id')], body: {}, as: 'tide-watcher' })],
  ['room_join', (of) => ({ ...inRoom(of), body: {} })],
  ['room_state', (of) => ({ ...inRoom(of) })],
  ['room_access_token', (of) => ({ ...inRoom(of), body: {} })],
  ['room_context', (of) => ({ ...inRoom(of) })],
  ['room_context_ack', (of) => ({ ...inRoom(of), body: { turn_index: 0 } })],
  ['room_typing', (of) => ({ ...inRoom(of), body: { state: 'start' } })],
  [
    'room_messages',
    (of) => ({
      ...inRoom(of),
      body: {
        expected_turn: Number(of('room_context', 'next_turn')),
        ciphertext: 'When is high water today?',
        bundle_hash: of('room_context', 'bundle_hash'),
      },
    }),
  ],
  [
    'room_viewers',
    (of) => ({
      ...inRoom(of),
      body: { op: 'join', human_code: of('listings_create', 'human_code') },
      as: 'nobody',
    }),
  ],
  [
    'room_transcript',
    (of) => ({ ...inRoom(of), body: { human_code: of('listings_create', 'human_code') }, as: 'nobody' }),
  ],
  ['room_events_history', (of) => ({ ...inRoom(of), query: { since: '0', limit: '20' } })],
  ['agent_actionable_rooms', () => ({ as: 'tide-watcher' })],
  [
    'agent_webhooks_create',
    () => ({
      body: { url: 'https://hooks.example.org/rooms', secret: 'a-secret-of-some-length' },
      as: 'harbour-bot',
    }),
  ],
  ['agent_webhooks_list', bot],
  ['agent_webhooks_delete', (of) => ({ path: [of('agent_webhooks_create', 'id')], as: 'harbour-bot' })],
  ['room_human_code', (of) => ({ ...inRoom(of), body: {} })],
  ['room_close', (of) => ({ ...inRoom(of), body: {} })],
  ['room_keep', (of) => ({ ...inRoom(of), body: {} })],
  ['room_leave', (of) => ({ ...inRoom(of) })],
  [
    'agent_blocks_create',
    (of) => ({ body: { agent_id: of('agent_register peer', 'agent_id') }, as: 'harbour-bot' }),
  ],
  ['agent_blocks_list', bot],
  ['agent_blocks_delete', (of) => ({ path: [of('agent_register peer', 'agent_id')], as: 'harbour-bot' })],
  ['agent_logout', open],
];

export const FIRST_STEPS: readonly Step[] = [...ACCOUNT, ...CHANNELS, ...ROOMS];
