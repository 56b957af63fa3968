import { readUsage } from '@parley/protocol/identity/routes';
import type { UsageAnswer } from '@parley/protocol/identity/types';
import { type AnswerShape, type CallerOptions, RouteCaller } from '../route-caller.ts';
import { Alerts } from './alerts.ts';
import { Cues } from './cues.ts';
import { DeliveryError, deliveryError } from './delivery-error.ts';
import { Events } from './events.ts';
import { Executions } from './executions.ts';

/** Answers have no word in common, so any object counts as one. */
const SHAPE: AnswerShape = {
  isOurs: () => true,
  refusal: deliveryError,
  notOurs: (message) => new DeliveryError(502, { error: { code: 'unexpected_answer', message } }),
};

export const deliveryCaller = (options: CallerOptions): RouteCaller => new RouteCaller(options, SHAPE);

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
  readonly #caller: RouteCaller;

  constructor(options: CallerOptions) {
    const caller = deliveryCaller(options);
    this.#caller = caller;
    this.events = new Events(caller);
    this.alerts = new Alerts(caller);
    this.cues = new Cues(caller);
    this.executions = new Executions(caller);
  }

  /** What the owner has used this month, and may use. */
  usage(): Promise<UsageAnswer> {
    return this.#caller.call(readUsage);
  }
}
