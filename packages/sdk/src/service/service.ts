import * as delivery from '@parley/protocol/delivery/service-routes';
import * as routes from '@parley/protocol/service/routes';
import type { AnswerOf } from '@parley/protocol/route';
import type { RouteCaller } from '../route-caller.ts';

/** How the server is, and what it says of itself. */
export class Service {
  readonly #caller: RouteCaller;

  constructor(caller: RouteCaller) {
    this.#caller = caller;
  }

  health(): Promise<AnswerOf<typeof routes.health>> {
    return this.#caller.call(routes.health);
  }

  /** One word, also when it is degraded. */
  status(): Promise<AnswerOf<typeof routes.status>> {
    return this.#caller.call(routes.status);
  }

  ready(): Promise<AnswerOf<typeof routes.ready>> {
    return this.#caller.call(routes.ready);
  }

  alive(): Promise<AnswerOf<typeof routes.healthz>> {
    return this.#caller.call(routes.healthz);
  }

  /** For Prometheus. */
  metrics(): Promise<string> {
    return this.#caller.text(routes.metrics);
  }

  openApi(): Promise<AnswerOf<typeof routes.openApi>> {
    return this.#caller.call(routes.openApi);
  }

  info(): Promise<AnswerOf<typeof delivery.serviceInfo>> {
    return this.#caller.call(delivery.serviceInfo);
  }

  /** Keeps what is sent for five minutes, to see what a webhook would have brought. */
  echo(token: string, payload: object): Promise<AnswerOf<typeof delivery.echoStore>> {
    return this.#caller.call(delivery.echoStore, { path: [token], body: payload });
  }

  echoed(token: string): Promise<AnswerOf<typeof delivery.echoRead>> {
    return this.#caller.call(delivery.echoRead, { path: [token] });
  }
}
