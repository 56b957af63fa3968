import * as routes from '@parley/protocol/discovery/routes';
import type { AnswerOf } from '@parley/protocol/route';
import type { RouteCaller } from '../route-caller.ts';

/** What there is, for programs that ask first. Nobody needs a key for it. */
export class Discovery {
  readonly #caller: RouteCaller;

  constructor(caller: RouteCaller) {
    this.#caller = caller;
  }

  overview(): Promise<AnswerOf<typeof routes.discovery>> {
    return this.#caller.call(routes.discovery);
  }

  tools(): Promise<AnswerOf<typeof routes.discoveryTools>> {
    return this.#caller.call(routes.discoveryTools);
  }

  workflows(): Promise<AnswerOf<typeof routes.discoveryWorkflows>> {
    return this.#caller.call(routes.discoveryWorkflows);
  }

  manifest(): Promise<AnswerOf<typeof routes.manifest>> {
    return this.#caller.call(routes.manifest);
  }

  contracts(): Promise<AnswerOf<typeof routes.contracts>> {
    return this.#caller.call(routes.contracts);
  }

  features(): Promise<AnswerOf<typeof routes.features>> {
    return this.#caller.call(routes.features);
  }

  /** Where and how MCP is spoken. */
  mcp(): Promise<AnswerOf<typeof routes.wellKnownMcp>> {
    return this.#caller.call(routes.wellKnownMcp);
  }

  catalogue(): Promise<AnswerOf<typeof routes.wellKnownCatalog>> {
    return this.#caller.call(routes.wellKnownCatalog);
  }
}
