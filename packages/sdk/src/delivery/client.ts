import { Cues } from './cues.ts';
import { type DeliveryOptions, DeliveryServer } from './delivery-server.ts';
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

  constructor(options: DeliveryOptions) {
    const server = new DeliveryServer(options);
    this.cues = new Cues(server);
    this.executions = new Executions(server);
  }
}
