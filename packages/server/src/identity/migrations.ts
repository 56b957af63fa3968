import { grantManageAgents } from './keys/grant-manage-agents.ts';
import type { ModuleMigrations } from '../platform/database/migrations.ts';
import { step } from '../platform/database/step.ts';

/** People at the console. Without an owner: an operator. */
const SIGN_IN_TABLES = [
  `CREATE TABLE sign_ins (
    id text PRIMARY KEY,
    hash text NOT NULL UNIQUE,
    owner_id text REFERENCES owners (id),
    key_id text REFERENCES api_keys (id),
    agent text NOT NULL,
    created_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    expires_at bigint NOT NULL
  )`,
  `CREATE INDEX sign_ins_of_owner ON sign_ins (owner_id, created_at)`,
  `CREATE INDEX sign_ins_age ON sign_ins (expires_at)`,
  `CREATE INDEX agents_by_slug ON agents (slug) WHERE deleted_at IS NULL`,
  `CREATE TABLE spent_sign_in_codes (hash text PRIMARY KEY, expires_at bigint NOT NULL)`,
];

const DEVICE_LOGIN_TABLES = [
  `CREATE TABLE device_logins (
    code_hash text PRIMARY KEY,
    status text NOT NULL,
    email text,
    link_hash text UNIQUE,
    owner_id text REFERENCES owners (id),
    existing integer NOT NULL,
    api_key text,
    session_token text,
    session_hash text UNIQUE,
    session_expires_at bigint,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
  )`,
  `CREATE INDEX device_logins_age ON device_logins (expires_at)`,
];

const TABLES = [
  `CREATE TABLE owners (
    id text PRIMARY KEY,
    slug text NOT NULL UNIQUE,
    slug_changed_at bigint,
    email text,
    email_key text UNIQUE,
    plan text NOT NULL,
    alert_webhook_url text,
    webhook_secret text,
    previous_webhook_secret text,
    previous_webhook_secret_until bigint,
    alert_webhook_secret text,
    previous_alert_webhook_secret text,
    previous_alert_webhook_secret_until bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
  )`,
  `CREATE TABLE agents (
    suffix text PRIMARY KEY,
    owner_id text NOT NULL REFERENCES owners (id),
    slug text NOT NULL,
    display_name text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    deleted_at bigint
  )`,
  `CREATE UNIQUE INDEX agents_slug ON agents (owner_id, slug) WHERE deleted_at IS NULL`,
  `CREATE INDEX agents_of_owner ON agents (owner_id, created_at)`,
  `CREATE TABLE api_keys (
    id text PRIMARY KEY,
    owner_id text NOT NULL REFERENCES owners (id),
    agent_suffix text REFERENCES agents (suffix),
    hash text NOT NULL UNIQUE,
    prefix text NOT NULL,
    label text,
    scopes text NOT NULL,
    read_namespaces text NOT NULL,
    write_namespaces text NOT NULL,
    expires_at bigint,
    created_at bigint NOT NULL,
    last_used_at bigint,
    revoked_at bigint,
    rotated integer NOT NULL DEFAULT 0
  )`,
  `CREATE INDEX api_keys_of_owner ON api_keys (owner_id, created_at, id) WHERE revoked_at IS NULL`,
  `CREATE TABLE sessions (
    id text PRIMARY KEY,
    owner_id text NOT NULL REFERENCES owners (id),
    agent_suffix text NOT NULL REFERENCES agents (suffix),
    key_id text NOT NULL REFERENCES api_keys (id),
    hash text NOT NULL UNIQUE,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    ended_at bigint
  )`,
  `CREATE INDEX sessions_of_agent ON sessions (agent_suffix)`,
  `CREATE INDEX sessions_of_key ON sessions (key_id) WHERE ended_at IS NULL`,
  `CREATE TABLE invites (
    hash text PRIMARY KEY,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    used_at bigint,
    used_by text
  )`,
];

/** Secrets rest as SHA-256 (keys, sessions, invites) or sealed under the master key (webhook secrets). */
export const identityMigrations: ModuleMigrations = {
  module: 'identity',
  migrations: [
    step('001 create identity', TABLES),
    step('002 create device logins', DEVICE_LOGIN_TABLES),
    { name: '003 grant manage:agents', up: grantManageAgents },
    step('004 create sign-ins', SIGN_IN_TABLES),
  ],
};
