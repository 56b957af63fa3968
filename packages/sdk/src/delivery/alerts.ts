import * as routes from '@parley/protocol/delivery/alert-routes';
import type { AlertAnswer, AlertsAnswer } from '@parley/protocol/delivery/types';
import type { AlertType } from '@parley/protocol/delivery/vocabulary';
import type { DeliveryServer } from './delivery-server.ts';

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
  readonly #server: DeliveryServer;

  constructor(server: DeliveryServer) {
    this.#server = server;
  }

  list(page: AlertPage = {}): Promise<AlertsAnswer> {
    return this.#server.call(routes.alertList, { query: { ...page } });
  }

  acknowledge(id: string): Promise<AlertAnswer> {
    return this.#server.call(routes.alertAcknowledge, { ids: [id] });
  }
}
