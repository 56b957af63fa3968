import { readUsage } from '@parley/protocol/identity/routes';
import type { UsageAnswer } from '@parley/protocol/identity/types';
import { Alerts } from './alerts.ts';
import { Cues } from './cues.ts';
import { type DeliveryOptions, DeliveryServer } from './delivery-server.ts';
import { Events } from './events.ts';
import { Executions } from './executions.ts';

/**
 * Cues and what came of them, for one owner or agent.
 *
 * ```ts
 * const parley = new DeliveryClient({ server: 'http://127.0.0.1:7330', key });
 * await parley.cues.create({ name: 'tides', cron: '0 6 * * *', timezone: 'Europe/Lisbon', agent: 'harbour-bot' });
 * ```
 */
export class DeliveryClient {
  readonly cues: Cues;
  readonly executions: Executions;
  readonly events: Events;
  readonly alerts: Alerts;
  readonly #server: DeliveryServer;

  constructor(options: DeliveryOptions) {
    const server = new DeliveryServer(options);
    this.#server = server;
    this.events = new Events(server);
    this.alerts = new Alerts(server);
    this.cues = new Cues(server);
    this.executions = new Executions(server);
  }

  /** What the owner has used this month, and may use. */
  usage(): Promise<UsageAnswer> {
    return this.#server.call(readUsage);
  }
}
