import * as routes from '@parley/protocol/delivery/alert-routes';
import type { AlertAnswer, AlertsAnswer } from '@parley/protocol/delivery/types';
import type { AlertType } from '@parley/protocol/delivery/vocabulary';
import type { RouteCaller } from '../route-caller.ts';

export interface AlertPage {
  alert_type?: AlertType | undefined;
  cue_id?: string | undefined;
  acknowledged?: boolean | undefined;
  /** RFC 3339. */
  since?: string | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

/** What went wrong with cues. */
export class Alerts {
  readonly #caller: RouteCaller;

  constructor(caller: RouteCaller) {
    this.#caller = caller;
  }

  list(page: AlertPage = {}): Promise<AlertsAnswer> {
    return this.#caller.call(routes.alertList, { query: { ...page } });
  }

  acknowledge(id: string): Promise<AlertAnswer> {
    return this.#caller.call(routes.alertAcknowledge, { path: [id] });
  }
}
