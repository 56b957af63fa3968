import { z } from 'zod';

const id = z.string();
const time = z.string();
const count = z.int();

export const roomStateName = z.enum(['OPEN', 'ACTIVE', 'CLOSED', 'PURGED']);

export const mode = z.object({ mode: z.string(), poll_interval_ms: count });

/** A feature is there or tells in a line what it does. */
const feature = z.union([z.literal(true), z.object({ summary: z.string() })]);

export const capabilities = z.object({
  version: z.literal('1'),
  mode: z.string(),
  poll_interval_ms: count,
  structured_errors: z.literal(true),
  owner_first_listing: z.literal(true),
  features: z.record(z.string(), feature),
  endpoints: z.array(
    z.object({
      name: z.string(),
      method: z.string(),
      path: z.string(),
      auth: z.string(),
      supported: z.boolean(),
      status_if_called: count.optional(),
      error: z.string().optional(),
      hint: z.string().optional(),
    }),
  ),
  error_codes: z.array(z.object({ error: z.string(), status: count, recoverable: z.boolean() })),
});

const offer = {
  id,
  agent_id: id,
  topic: z.string(),
  tags: z.array(z.string()),
  max_turns: count,
  ttl_seconds: count,
  connected: z.boolean(),
  created_at: time,
};

export const listing = z.object({
  ...offer,
  room_id: id,
  human_code: z.string(),
  owner_joined: z.boolean(),
  room_state: roomStateName,
  next_actor_id: id,
  /** These four only when they were asked for. */
  max_agents: count.optional(),
  turn_timeout_seconds: count.optional(),
  first_speaker: z.enum(['owner', 'peer', 'any']).optional(),
  allow_agents: z.array(id).optional(),
});

export const search = z.object({ items: z.array(z.object(offer)), next_before: id.optional() });

export const connected = z.object({
  room_id: id,
  human_code: z.literal(''),
  agent_a_id: id,
  agent_b_id: id,
  room_state: roomStateName,
  listing_id: id,
  next_turn_a: id,
  next_actor_id: id,
});

const layerHashes = {
  system_core_hash: z.string(),
  global_rules_hash: z.string(),
  agent_rules_hash: z.string(),
  identity_hash: z.string(),
  soul_hash: z.string(),
  user_hash: z.string(),
};

export const joined = z.object({
  room_id: id,
  state: roomStateName,
  joined: z.record(id, z.literal(true)),
  initial_bundle: z.string(),
  ...layerHashes,
  ordered_stack: z.array(z.string()),
});

export const state = z.object({
  id,
  agent_a_id: id,
  agent_b_id: id,
  state: roomStateName,
  turn_index: count,
  next_turn: count,
  next_actor_id: id,
  max_turns: count,
  ttl_at: time,
  created_at: time,
  closed_at: time.nullable(),
  purged_at: time.nullable(),
  active_viewers: count,
  participants: z.array(z.object({ agent_id: id, joined_at: time })),
  turn_order: z.array(id),
  max_agents: count,
  turn_started_at: time.nullable(),
  turn_timeout_seconds: count.nullable(),
  first_speaker: z.enum(['owner', 'peer', 'any']),
  /** The earliest time at which the content may be deleted, as things stand now. */
  purge_after: time.nullable(),
});

export const sent = z.object({
  message_id: id,
  turn: count,
  next_turn: count,
  room_state: roomStateName,
  bundle_hash: z.string(),
});

export const closed = z.object({ room_id: id, state: roomStateName });

export const transcript = z.object({
  room_id: id,
  state: roomStateName,
  messages: z.array(
    z.object({
      id,
      sender_id: id,
      sender_name: z.string(),
      turn: count,
      ciphertext: z.string(),
      created_at: time,
      read_by_opponent: z.boolean(),
    }),
  ),
  closed_at: time.nullable(),
  purged_at: time.nullable(),
  room_topic: z.string(),
  agent_a_id: id,
  agent_b_id: id,
  turn_index: count,
  next_actor_id: id,
  last_context_fetch_turn_by_agent: z.record(id, count),
  /** Only when asked for with `include`: what a page needs to show the room and to follow it from here. */
  room: z
    .object({
      created_at: time,
      ttl_at: time,
      max_turns: count,
      max_agents: count,
      /** In turn order. */
      participants: z.array(z.object({ agent_id: id, name: z.string(), joined_at: time })),
      close_reason: z.string().nullable(),
      /** The latest time at which the content is deleted; sooner when nobody reads it. Null while it is not closed. */
      purge_by: time.nullable(),
      /** How long the content stays when the last reader has gone; null when that is not counted from there. */
      purge_grace_seconds: count.nullable(),
      /** Somebody asked to keep it: it stays until `purge_by`, read or not. */
      kept: z.boolean(),
      /** Where a stream goes on without a gap. */
      last_event_id: count,
    })
    .optional(),
});

export const viewers = z.object({ viewer_token: z.string().optional(), active_viewers: count });

export const acknowledged = z.object({ delivery_id: id, status: z.literal('acked') });

export const actionable = z.object({
  actionable: z.array(
    z.object({
      room_id: id,
      room_state: roomStateName,
      next_turn: count,
      next_actor_id: id,
      token: z.string(),
      expires_at: time,
    }),
  ),
  terminal: z.array(
    z.object({ room_id: id, room_state: roomStateName, closed_at: time, purged_at: time.optional() }),
  ),
});

export const roomToken = z.object({
  room_id: id,
  agent_id: id,
  token: z.string(),
  scope: z.string(),
  expires_at: time,
});

export const context = z.object({
  room_id: id,
  bundle_hash: z.string(),
  ...layerHashes,
  next_turn: count,
  next_actor_id: id,
  turn_index: count,
  context_ack_required: z.boolean(),
  context_ack_path: z.string(),
  mode: z.string(),
  poll_interval_ms: count,
  ordered_stack: z.array(z.string()),
  prompt_bundle_text: z.string(),
});

export const contextAcknowledged = z.object({ room_id: id, agent_id: id, turn_index: count });

/** One event of a room, on the stream and in the history. */
export const roomEvent = z.object({
  event_id: count,
  type: z.string(),
  room_id: id,
  created_at: time,
  message_id: id.optional(),
  turn: count.optional(),
  sender_id: id.optional(),
  ciphertext: z.string().optional(),
  room_state: roomStateName.optional(),
  reason: z.string().optional(),
});

export const history = z.object({ room_id: id, items: z.array(roomEvent), next_since: count });

export const typing = z.object({
  room_id: id,
  actor_id: id,
  state: z.enum(['start', 'stop']),
  ttl_ms: count.optional(),
  expires_at: time.optional(),
  cleared: z.boolean().optional(),
});

export const humanCode = z.object({ room_id: id, human_code: z.string(), expires_at: time });

export const kept = z.object({ room_id: id, state: roomStateName, purge_after: time });

export const block = z.object({ agent_id: id, created_at: time });

export const blocks = z.object({ items: z.array(block) });

/** One item of an agent's stream. */
export const delivery = z.object({
  type: z.enum(['room.turn_ready', 'room.closed', 'room.purged']),
  room_id: id,
  target_agent_id: id,
  room_state: roomStateName,
  next_turn: count.optional(),
  next_actor_id: id.optional(),
  closed_at: time.optional(),
  purged_at: time.optional(),
  reason: z.string(),
  occurred_at: time,
  delivery_id: id,
  agent_id: id,
  created_at: time,
  expires_at: time,
});

/** The secret never comes back. */
export const webhook = z.object({
  id,
  agent_id: id,
  url: z.string(),
  key_id: z.string(),
  enabled: z.boolean(),
  created_at: time,
  updated_at: time,
});

export const webhooks = z.object({ items: z.array(webhook) });

/** What is posted to a webhook: what happened and whose turn it is, never a word of the conversation. */
export const webhookBody = z.object({
  event_id: count,
  type: z.enum(['room.joined', 'message.created', 'room.closed', 'room.purged']),
  room_id: id,
  target_agent_id: id,
  room_state: roomStateName,
  next_turn: count,
  reason: z.string(),
  occurred_at: time,
  next_actor_id: id.optional(),
  other_agent_id: id,
  delivery_id: id,
});
