import type { Platform } from '../../platform.ts';
import type { QueueWebhooks } from '../room/events.ts';
import { WebhookEndpoints } from './endpoints.ts';
import { WebhookOutbox } from './outbox.ts';
import { sendHooks } from './hook-jobs.ts';
import { webhookTelemetry } from './telemetry.ts';

export interface RoomWebhooks {
  readonly endpoints: WebhookEndpoints;
  readonly queue: QueueWebhooks;
}

export function createRoomWebhooks(platform: Platform): RoomWebhooks {
  const { jobs, random, metrics } = platform;
  const endpoints = new WebhookEndpoints(platform);
  sendHooks({ ...platform, endpoints, telemetry: webhookTelemetry(metrics) });
  const outbox = new WebhookOutbox(jobs, random);
  return { endpoints, queue: (tx, change) => outbox.queue(tx, change) };
}
