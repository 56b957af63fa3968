import * as routes from '@parley/protocol/delivery/agent-routes';
import type { SentAgent, SentAgentPatch } from '@parley/protocol/delivery/sent';
import type { AnswerOf } from '@parley/protocol/route';
import type { RouteCaller } from '../route-caller.ts';

/** The agents of the owner. One is named by id, `slug@owner` or slug. */
export class Agents {
  readonly #caller: RouteCaller;

  constructor(caller: RouteCaller) {
    this.#caller = caller;
  }

  create(agent: SentAgent): Promise<AnswerOf<typeof routes.agentCreate>> {
    return this.#caller.call(routes.agentCreate, { body: agent });
  }

  list(page: { limit?: number; offset?: number } = {}): Promise<AnswerOf<typeof routes.agentList>> {
    return this.#caller.call(routes.agentList, { query: page });
  }

  read(agent: string): Promise<AnswerOf<typeof routes.agentRead>> {
    return this.#caller.call(routes.agentRead, { path: [agent] });
  }

  update(agent: string, patch: SentAgentPatch): Promise<AnswerOf<typeof routes.agentPatch>> {
    return this.#caller.call(routes.agentPatch, { path: [agent], body: patch });
  }

  /** Whether it can be reached now, and by which way. */
  presence(agent: string): Promise<AnswerOf<typeof routes.agentPresence>> {
    return this.#caller.call(routes.agentPresence, { path: [agent] });
  }

  async delete(agent: string): Promise<void> {
    await this.#caller.call(routes.agentDelete, { path: [agent] });
  }
}
