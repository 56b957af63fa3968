import * as routes from '@parley/protocol/delivery/agent-routes';
import { agentCard } from '@parley/protocol/delivery/card-routes';
import type { SentAgent, SentAgentPatch } from '@parley/protocol/delivery/sent';
import { agentWakeReceipt, agentWakes } from '@parley/protocol/delivery/wake-routes';
import type { AnswerOf, BodyOf, QueryOf } from '@parley/protocol/route';
import { meant, type RouteCaller } from '../route-caller.ts';

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

  /** Agents with capabilities, presence and live sessions. */
  directory(): Promise<AnswerOf<typeof routes.agentDirectory>> {
    return this.#caller.call(routes.agentDirectory);
  }

  roster(): Promise<AnswerOf<typeof routes.agentRoster>> {
    return this.#caller.call(routes.agentRoster);
  }

  /** Its former slug leads to it still. */
  rename(agent: string, slug: string): Promise<AnswerOf<typeof routes.agentRename>> {
    return this.#caller.call(routes.agentRename, { path: [agent], body: { slug } });
  }

  profile(agent: string): Promise<AnswerOf<typeof routes.agentProfileRead>> {
    return this.#caller.call(routes.agentProfileRead, { path: [agent] });
  }

  updateProfile(
    agent: string,
    change: BodyOf<typeof routes.agentProfilePatch>,
  ): Promise<AnswerOf<typeof routes.agentProfilePatch>> {
    return this.#caller.call(routes.agentProfilePatch, { path: [agent], body: change });
  }

  /** What everybody may read of an agent that shows it (`profile.agent_card`). */
  card(agent: string): Promise<AnswerOf<typeof agentCard>> {
    return this.#caller.call(agentCard, { query: { agent } });
  }

  webhookSecret(agent: string): Promise<AnswerOf<typeof routes.agentSecretRead>> {
    return this.#caller.call(routes.agentSecretRead, { path: [agent] });
  }

  regenerateWebhookSecret(
    agent: string,
    overlap: BodyOf<typeof routes.agentSecretRotate> = {},
  ): Promise<AnswerOf<typeof routes.agentSecretRotate>> {
    return this.#caller.call(routes.agentSecretRotate, { path: [agent], body: overlap, headers: meant });
  }

  /** A background handler of the agent is there. */
  beat(agent: string): Promise<AnswerOf<typeof routes.agentBeat>> {
    return this.#caller.call(routes.agentBeat, { path: [agent], body: { channel: 'bg' } });
  }

  /** What became of its wakes, as a bridge reported it. */
  wakes(agent: string, page: QueryOf<typeof agentWakes> = {}): Promise<AnswerOf<typeof agentWakes>> {
    return this.#caller.call(agentWakes, { path: [agent], query: page });
  }

  async reportWake(agent: string, receipt: BodyOf<typeof agentWakeReceipt>): Promise<void> {
    await this.#caller.call(agentWakeReceipt, { path: [agent], body: receipt });
  }
}
