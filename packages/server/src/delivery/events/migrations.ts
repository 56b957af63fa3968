import type { ModuleMigrations } from '../../platform/database/migrations.ts';
import { step } from '../../platform/database/step.ts';

/**
 * What agents are told of, under one counter, and who wants to be told. `priority` is that of a message that has arrived;
 * `mark` is how far a subscription with an endpoint has come, `batch_end` how far the post under way will bring it, and `queued`
 * says that there is a job which sees to it.
 */
export const eventMigrations: ModuleMigrations = {
  module: 'delivery_events',
  migrations: [
    step('001 create events', [
      `CREATE TABLE agent_events (
        id SERIAL,
        agent text NOT NULL,
        event_type text NOT NULL,
        message_id text,
        priority integer,
        payload text NOT NULL,
        emitted_at bigint NOT NULL
      )`,
      `CREATE INDEX agent_events_agent ON agent_events (agent, id)`,
      `CREATE TABLE event_subscriptions (
        id text PRIMARY KEY,
        owner_id text NOT NULL,
        agent text NOT NULL,
        event_type text NOT NULL,
        target text NOT NULL,
        webhook_url text,
        webhook_secret text,
        inline_body integer NOT NULL,
        mark bigint NOT NULL,
        batch_end bigint,
        queued integer NOT NULL,
        last_posted_at bigint,
        last_dispatched_at bigint,
        last_acked_event_id bigint,
        failures integer NOT NULL,
        paused_until bigint,
        created_at bigint NOT NULL,
        detached_at bigint
      )`,
      `CREATE UNIQUE INDEX event_subscriptions_active ON event_subscriptions (agent, target, event_type)
        WHERE detached_at IS NULL`,
      `CREATE INDEX event_subscriptions_over ON event_subscriptions (detached_at)
        WHERE detached_at IS NOT NULL`,
    ]),
  ],
};
