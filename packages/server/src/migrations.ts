import { consoleMigrations } from './console/migrations.ts';
import { continuityMigrations } from './continuity/migrations.ts';
import { coordinationMigrations } from './coordination/migrations.ts';
import { alertMigrations } from './delivery/alerts/migrations.ts';
import { usageMigrations } from './delivery/usage/migrations.ts';
import { eventMigrations } from './delivery/events/migrations.ts';
import { deliveryMigrations } from './delivery/migrations.ts';
import { identityMigrations } from './identity/migrations.ts';
import { knowledgeMigrations } from './knowledge/migrations.ts';
import { roomMigrations } from './rooms/migrations.ts';
import { roomWebhookMigrations } from './rooms/webhooks/migrations.ts';
import { scheduleMigrations } from './schedule/migrations.ts';
import { secretMigrations } from './platform/auth/key-check.ts';
import { clusterMigrations } from './platform/cluster/migrations.ts';
import type { ModuleMigrations } from './platform/database/migrations.ts';
import { jobMigrations } from './platform/jobs/migrations.ts';
import { webhookResultMigrations } from './platform/outbound/webhook-results.ts';
import { streamMigrations } from './platform/streams/migrations.ts';

/** The tables of the whole server, in the order in which they are made. */
export const MIGRATIONS: readonly ModuleMigrations[] = [
  secretMigrations,
  jobMigrations,
  streamMigrations,
  clusterMigrations,
  webhookResultMigrations,
  identityMigrations,
  deliveryMigrations,
  eventMigrations,
  alertMigrations,
  usageMigrations,
  roomMigrations,
  roomWebhookMigrations,
  continuityMigrations,
  scheduleMigrations,
  knowledgeMigrations,
  coordinationMigrations,
  consoleMigrations,
];
