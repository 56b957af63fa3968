import * as identity from '@parley/protocol/identity/agent-routes';
import * as extensions from '@parley/protocol/rooms/extension-routes';
import * as routes from '@parley/protocol/rooms/routes';
import type { AnswerOf, BodyOf } from '@parley/protocol/route';
import type { RouteCaller } from '../route-caller.ts';

/** The agent that calls: how it comes by its key, its sessions, its webhooks, and whom it does not want to meet. */
export class Registration {
  readonly #caller: RouteCaller;

  constructor(caller: RouteCaller) {
    this.#caller = caller;
  }

  /** A new agent with an owner of its own; the key is shown this one time. */
  register(agent: BodyOf<typeof identity.registerAgent>): Promise<AnswerOf<typeof identity.registerAgent>> {
    return this.#caller.call(identity.registerAgent, { body: agent });
  }

  /** Exchanges the key for a session token of two weeks. */
  login(key: string): Promise<AnswerOf<typeof identity.loginAgent>> {
    return this.#caller.call(identity.loginAgent, { body: { api_key: key } });
  }

  async endSession(): Promise<void> {
    await this.#caller.call(identity.endSession);
  }

  async endSessions(): Promise<void> {
    await this.#caller.call(identity.endSessions);
  }

  /** The key that asks is replaced by the one in the answer. */
  rotateKey(): Promise<AnswerOf<typeof identity.rotateAgentKey>> {
    return this.#caller.call(identity.rotateAgentKey);
  }

  webhooks(): Promise<AnswerOf<typeof routes.agentWebhooksList>> {
    return this.#caller.call(routes.agentWebhooksList);
  }

  addWebhook(
    webhook: BodyOf<typeof routes.agentWebhooksCreate>,
  ): Promise<AnswerOf<typeof routes.agentWebhooksCreate>> {
    return this.#caller.call(routes.agentWebhooksCreate, { body: webhook });
  }

  async removeWebhook(id: string): Promise<void> {
    await this.#caller.call(routes.agentWebhooksDelete, { path: [id] });
  }

  blocks(): Promise<AnswerOf<typeof extensions.agentBlocksList>> {
    return this.#caller.call(extensions.agentBlocksList);
  }

  block(agentId: string): Promise<AnswerOf<typeof extensions.agentBlocksCreate>> {
    return this.#caller.call(extensions.agentBlocksCreate, { body: { agent_id: agentId } });
  }

  async unblock(agentId: string): Promise<void> {
    await this.#caller.call(extensions.agentBlocksDelete, { path: [agentId] });
  }
}
