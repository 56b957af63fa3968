import * as declared from '@parley/protocol/delivery/agent-routes';
import { ROSTER_MAX_AGE_SECONDS } from '@parley/protocol/delivery/limits';
import { AGENT_STATUSES, type AgentStatus } from '@parley/protocol/delivery/vocabulary';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireConfirmation } from '../../wire/delivery/caller.ts';
import { iso, isoOrNull } from '../../wire/delivery/times.ts';
import { wordOf } from '../../wire/delivery/words.ts';
import type { Caller } from '../../wire/caller.ts';
import { isKnown } from '../../platform/http/etag.ts';
import type { Params, RouteTable } from '../../platform/http/route-table.ts';
import { agentAnswer } from '../agents/agent-view.ts';
import * as receivers from '../agents/agents.ts';
import { directoryOf, presenceOf, rosterOf } from '../agents/directory.ts';
import type { AgentSide } from '../create-agents.ts';
import { profileAnswer } from '../agents/profile.ts';

/** Agents, their settings and who is there. */
export function agentRoutes(table: RouteTable<Caller>, agents: AgentSide): void {
  const { reach } = agents;
  const changed = ({ agent, webhookSecret, warning }: receivers.ChangedAgent) => ({
    ...agentAnswer(agents, agent, webhookSecret),
    ...(warning !== null && { warning }),
  });

  /** The agent in the path, for a caller that may act on it, and only how it is named there. */
  const own = (caller: Caller, params: Params) => receivers.reachedAgent(agents, caller, params);
  const named = (caller: Caller, params: Params) => reach.agent(caller, params.ref ?? '');
  const read = (caller: Caller, { ref = '' }: Params, includeDeleted?: boolean) =>
    receivers.readAgent(agents, caller.ownerId, ref, includeDeleted);

  table.add(declared.agentCreate, async ({ caller, body }) => {
    await reach.everyone(caller);
    return changed(await receivers.createAgent(agents, caller.ownerId, body));
  });

  table.add(declared.agentList, async ({ caller, query }) => {
    const { limit, offset, include_deleted: includeDeleted } = query;
    const page = { limit, offset, includeDeleted, status: statusOf(query.status) };
    const listed = await receivers.listAgents(agents, caller.ownerId, page);
    const shown = listed.agents.map((agent) => agentAnswer(agents, agent));
    return { agents: shown, total: listed.total, limit, offset };
  });

  table.add(declared.agentDirectory, ({ caller }) => directoryOf(agents, caller.ownerId));

  table.add(declared.agentRoster, async ({ caller, request, reply }) => {
    void reply.header('Cache-Control', `private, max-age=${ROSTER_MAX_AGE_SECONDS}`);
    return answerWithTag(request, reply, await rosterOf(agents, caller.ownerId));
  });

  table.add(declared.agentRead, async ({ caller, params, query }) =>
    agentAnswer(agents, await read(caller, params, query.include_deleted)),
  );

  table.add(declared.agentPatch, async ({ caller, params, body }) => {
    return changed(await receivers.patchAgent(agents, await own(caller, params), body));
  });

  table.add(declared.agentRename, async ({ caller, params, body }) => {
    const ref = await named(caller, params);
    return agentAnswer(agents, await receivers.moveAgent(agents, caller.ownerId, ref, body.slug));
  });

  table.add(declared.agentDelete, async ({ caller, params }) =>
    receivers.removeAgent(agents, await own(caller, params)),
  );

  table.add(declared.agentProfileRead, async ({ caller, params }) => {
    const { record } = await read(caller, params);
    return profileAnswer(record.profile);
  });

  table.add(declared.agentProfilePatch, async ({ caller, params, body }) => {
    const { agent } = await receivers.patchAgent(agents, await own(caller, params), { profile: body });
    return profileAnswer(agent.record.profile);
  });

  table.add(declared.agentPresence, async ({ caller, params, request, reply }) =>
    answerWithTag(request, reply, presenceOf(agents, await read(caller, params))),
  );

  table.add(declared.agentSecretRead, async ({ caller, params }) => ({
    webhook_secret: await receivers.readSecret(agents, await own(caller, params)),
  }));

  table.add(declared.agentSecretRotate, async ({ caller, params, body, request }) => {
    const ref = await named(caller, params);
    requireConfirmation(request);
    const { overlap_seconds: overlap } = body;
    const { secret, previousUntil } = await receivers.replaceSecret(agents, caller.ownerId, ref, overlap);
    return { webhook_secret: secret, previous_valid_until: isoOrNull(previousUntil) };
  });

  table.add(declared.agentBeat, async ({ caller, params }) => {
    const beatAt = await receivers.backgroundBeat(agents, await own(caller, params));
    return { acknowledged: true, server_time: iso(beatAt) };
  });
}

/** Answers 304 without a body when the client has this version already; else gives the answer its tag. */
function answerWithTag<Answer extends { readonly etag: string }>(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): Answer | FastifyReply {
  void reply.header('ETag', answer.etag);
  return isKnown(request, answer.etag) ? reply.code(304).send() : answer;
}

const statusOf = (word: string | undefined): AgentStatus | undefined =>
  word === undefined ? undefined : wordOf(AGENT_STATUSES, word, 'status', 'invalid_status');
