import type {
  AgentRouteAnswer,
  AgentsAnswer,
  ReachedAgentAnswer,
} from '@parley/protocol/console/view-routes';
import type { agentsQuery } from '@parley/protocol/console/view-schemas';
import type { z } from 'zod';
import { lastWrites } from '../continuity/overview/subjects.ts';
import type { ReachedAgent } from '../delivery/overview/lately.ts';
import { addressOf } from '../identity/agents/agent-details.ts';
import { DeliveryError } from '../wire/delivery/errors.ts';
import { iso, isoOrNull } from '../wire/delivery/times.ts';
import type { Person } from '../wire/person.ts';
import type { ConsoleContext } from './create-module.ts';
import { agentNamed, cursorOf, placeOf, scopeOf } from './scope.ts';

type Spelling = (suffix: string) => string;

export async function agentsOf(
  context: ConsoleContext,
  person: Person,
  { cursor, limit, owner, q }: z.output<typeof agentsQuery>,
): Promise<AgentsAnswer> {
  const { identity, console } = context;
  const ownerId = await scopeOf(context, person, owner);
  if (q !== undefined && q !== '') {
    const found = await identity.directory.startingWith(q.toLowerCase(), ownerId, limit);
    const reached = await console.lately.reachedAll(found.map(({ suffix }) => suffix));
    return { agents: await listed(context, reached), next: null };
  }
  const page = await console.lately.agents({ ownerId, after: placeOf(cursor), limit });
  return { agents: await listed(context, page.agents), next: page.next ? cursorOf(page.next) : null };
}

/** A bounded number of statements, however many they are. */
async function listed(
  { clock, console, continuity }: ConsoleContext,
  agents: readonly ReachedAgent[],
): Promise<AgentsAnswer['agents']> {
  const peers = agents.map(({ recipient: { ownerId, slug } }) => ({ ownerId, peer: slug }));
  const wroteAt = await lastWrites(continuity.service.memory, peers);
  const now = clock.now();
  return agents.map((agent) => ({
    ...reachedAnswer(console.spellAgent, agent, now),
    remembered_at: isoOrNull(wroteAt({ ownerId: agent.recipient.ownerId, peer: agent.recipient.slug })),
  }));
}

/** How a message sent to an agent now would go, and why. */
export async function routeOf(
  context: ConsoleContext,
  person: Person,
  ref: string,
): Promise<AgentRouteAnswer> {
  const { suffix } = await agentNamed(context, person, ref);
  const reached = await context.console.lately.reached(suffix);
  if (!reached) throw new DeliveryError('agent_not_found');
  return routeAnswer(context.console.spellAgent, reached, context.clock.now());
}

export function reachedAnswer(spell: Spelling, agent: ReachedAgent, now: number): ReachedAgentAnswer {
  const { recipient, plan, name, status, lastSeenAt, waiting } = agent;
  const { columns: way, warning } = plan;
  return {
    id: spell(recipient.suffix),
    address: addressOf(recipient, recipient.ownerSlug),
    owner: recipient.ownerSlug,
    name,
    reach: status === 'away' ? 'away' : way.channel,
    heard_at: way.beat_age_ms === null ? null : iso(now - way.beat_age_ms),
    last_seen_at: isoOrNull(lastSeenAt),
    status,
    waiting,
    warning,
  };
}

const routeAnswer = (spell: Spelling, agent: ReachedAgent, now: number): AgentRouteAnswer => ({
  agent: reachedAnswer(spell, agent, now),
  route: agent.plan.columns.route,
  action: agent.plan.action,
  steps: agent.plan.trace.map(({ step, result, reason }) => ({ step, result, reason })),
});
