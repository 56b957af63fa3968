import { ownerOfAgent } from '../identity/agents/owner-of-agent.ts';
import type { ModuleMigrations } from '../platform/database/migrations.ts';
import { step } from '../platform/database/step.ts';

/**
 * Agents are stored by their suffix, secrets by their hash, message text sealed under the room's key. Events and
 * deliveries hold no text: `message.created` names the turn, and the message is joined when it is read.
 */
export const roomMigrations: ModuleMigrations = {
  module: 'rooms',
  migrations: [
    step('001 create rooms', [
      // `due_at`: when the next change by the clock may be owed. `last_event`: the newest event of the room.
      `CREATE TABLE rooms (
        id text PRIMARY KEY,
        listing_id text NOT NULL,
        state text NOT NULL,
        topic text NOT NULL,
        max_turns integer NOT NULL,
        max_agents integer NOT NULL,
        first_speaker text NOT NULL,
        turn_timeout_ms bigint,
        turn_index integer NOT NULL,
        next_actor text,
        turn_started_at bigint,
        skips integer NOT NULL,
        created_at bigint NOT NULL,
        ttl_at bigint NOT NULL,
        closed_at bigint,
        close_reason text,
        purged_at bigint,
        last_read_at bigint,
        due_at bigint,
        last_event bigint NOT NULL,
        sealed_key text,
        code_hash text,
        code_expires_at bigint NOT NULL
      )`,
      `CREATE INDEX rooms_due ON rooms (due_at) WHERE due_at IS NOT NULL`,
      `CREATE INDEX rooms_next_actor ON rooms (next_actor) WHERE state = 'ACTIVE'`,
      `CREATE TABLE room_participants (
        room_id text NOT NULL,
        position integer NOT NULL,
        agent text NOT NULL,
        joined_at bigint NOT NULL,
        read_turn integer,
        ended_at bigint,
        PRIMARY KEY (room_id, position)
      )`,
      `CREATE UNIQUE INDEX room_participants_agent ON room_participants (room_id, agent)`,
      `CREATE INDEX room_participants_live ON room_participants (agent) WHERE ended_at IS NULL`,
      `CREATE INDEX room_participants_ended ON room_participants (agent, ended_at) WHERE ended_at IS NOT NULL`,
      `CREATE TABLE room_listings (
        seq SERIAL,
        id text NOT NULL UNIQUE,
        room_id text NOT NULL UNIQUE,
        agent text NOT NULL,
        topic text NOT NULL,
        tags text NOT NULL,
        search_text text NOT NULL,
        max_turns integer NOT NULL,
        ttl_seconds integer NOT NULL,
        ttl_at bigint NOT NULL,
        private integer NOT NULL,
        visible integer NOT NULL,
        connected integer NOT NULL,
        created_at bigint NOT NULL
      )`,
      `CREATE INDEX room_listings_visible ON room_listings (seq) WHERE visible = 1`,
      `CREATE INDEX room_listings_agent ON room_listings (agent, ttl_at) WHERE visible = 1`,
      `CREATE TABLE room_listing_allows (
        listing_id text NOT NULL,
        agent text NOT NULL,
        PRIMARY KEY (listing_id, agent)
      )`,
      `CREATE TABLE room_blocks (
        agent text NOT NULL,
        blocked text NOT NULL,
        created_at bigint NOT NULL,
        PRIMARY KEY (agent, blocked)
      )`,
      `CREATE TABLE room_messages (
        room_id text NOT NULL,
        turn integer NOT NULL,
        id text NOT NULL,
        sender text NOT NULL,
        sealed_text text NOT NULL,
        created_at bigint NOT NULL,
        PRIMARY KEY (room_id, turn)
      )`,
      `CREATE TABLE room_idempotency (
        room_id text NOT NULL,
        agent text NOT NULL,
        key text NOT NULL,
        body_hash text NOT NULL,
        answer text NOT NULL,
        PRIMARY KEY (room_id, agent, key)
      )`,
      `CREATE TABLE room_tokens (
        room_id text NOT NULL,
        agent text NOT NULL,
        hash text NOT NULL UNIQUE,
        expires_at bigint NOT NULL,
        PRIMARY KEY (room_id, agent)
      )`,
      `CREATE TABLE room_viewers (
        hash text PRIMARY KEY,
        room_id text NOT NULL,
        joined_at bigint NOT NULL,
        beat_at bigint NOT NULL,
        left_at bigint
      )`,
      `CREATE INDEX room_viewers_room ON room_viewers (room_id, beat_at) WHERE left_at IS NULL`,
      `CREATE TABLE room_events (
        seq SERIAL,
        room_id text NOT NULL,
        prev bigint NOT NULL,
        type text NOT NULL,
        created_at bigint NOT NULL,
        sender text,
        turn integer,
        room_state text,
        reason text
      )`,
      `CREATE INDEX room_events_room ON room_events (room_id, seq)`,
      `CREATE TABLE room_deliveries (
        seq SERIAL,
        id text NOT NULL UNIQUE,
        agent text NOT NULL,
        prev bigint NOT NULL,
        room_id text NOT NULL,
        type text NOT NULL,
        status text NOT NULL,
        turn integer,
        next_actor text,
        room_state text NOT NULL,
        reason text NOT NULL,
        closed_at bigint,
        purged_at bigint,
        created_at bigint NOT NULL,
        expires_at bigint NOT NULL,
        acked_at bigint
      )`,
      `CREATE INDEX room_deliveries_agent ON room_deliveries (agent, seq)`,
      `CREATE INDEX room_deliveries_pending ON room_deliveries (agent, seq) WHERE status = 'pending'`,
      `CREATE UNIQUE INDEX room_deliveries_turn ON room_deliveries (room_id, agent, turn)
        WHERE status = 'pending' AND type = 'room.turn_ready'`,
      `CREATE INDEX room_deliveries_expiry ON room_deliveries (expires_at)`,
      `CREATE TABLE room_policy_refusals (
        agent text NOT NULL,
        refused_at bigint NOT NULL
      )`,
      `CREATE INDEX room_policy_refusals_agent ON room_policy_refusals (agent, refused_at)`,
      `CREATE TABLE room_policy_blocks (
        agent text PRIMARY KEY,
        blocked_until bigint NOT NULL
      )`,
    ]),
    // Tokens from before have none and are dead: they would have lived five minutes at most.
    step('002 tokens know what minted them', [
      `ALTER TABLE room_tokens ADD COLUMN credential_kind text`,
      `ALTER TABLE room_tokens ADD COLUMN credential_id text`,
    ]),
    step('003 closed rooms can be kept', [`ALTER TABLE rooms ADD COLUMN kept_at bigint`]),
    // What older rooms hold is not counted: they go when they are purged.
    step('004 texts count for an account', [
      `CREATE TABLE room_text_bytes (
        room_id text NOT NULL,
        owner_id text NOT NULL,
        bytes bigint NOT NULL,
        PRIMARY KEY (room_id, owner_id)
      )`,
      `CREATE INDEX room_text_bytes_owner ON room_text_bytes (owner_id, bytes)`,
    ]),
    step('005 lists of everything lately', [
      `CREATE INDEX rooms_lately ON rooms (created_at DESC, id DESC)`,
      `CREATE INDEX room_messages_lately ON room_messages (created_at)`,
    ]),
    // What an account takes part in, newest first, however many agents it has. Neither owner nor time ever changes.
    step('006 rooms of an account', [
      `ALTER TABLE room_participants ADD COLUMN owner_id text`,
      `ALTER TABLE room_participants ADD COLUMN room_created_at bigint`,
      `UPDATE room_participants SET owner_id = ${ownerOfAgent('room_participants.agent')},
        room_created_at = (SELECT created_at FROM rooms WHERE id = room_participants.room_id)`,
      `CREATE INDEX room_participants_of_owner
        ON room_participants (owner_id, room_created_at DESC, room_id DESC)`,
    ]),
    // Only what is pending is looked for by agent. Nodes of the version before, which PostgreSQL may have, still ask for all.
    step('007 deliveries by agent are the pending ones', (dialect) =>
      dialect === 'sqlite' ? [`DROP INDEX room_deliveries_agent`] : [],
    ),
  ],
};
