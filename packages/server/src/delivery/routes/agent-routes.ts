import * as declared from '@parley/protocol/delivery/agent-routes';
import { ROSTER_MAX_AGE_SECONDS } from '@parley/protocol/delivery/limits';
import { AGENT_STATUSES, type AgentStatus } from '@parley/protocol/delivery/vocabulary';
import { requireConfirmation } from '../../wire/delivery/caller.ts';
import { iso, isoOrNull } from '../../wire/delivery/times.ts';
import type { Caller } from '../../wire/caller.ts';
import type { RouteTable } from '../../platform/http/route-table.ts';
import type { ChangedAgent } from '../agents/agents.ts';
import type { AgentSide } from '../create-agents.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { profileAnswer } from '../agents/profile.ts';
import { answerWithTag } from './etag.ts';

/** Agents, their settings and who is there. */
export function agentRoutes(table: RouteTable<Caller>, { agents, directory, reach, view }: AgentSide): void {
  const changed = ({ agent, webhookSecret, warning }: ChangedAgent) => ({
    ...view.answer(agent, webhookSecret),
    ...(warning !== null && { warning }),
  });

  table.add(declared.agentCreate, async ({ caller, body }) => {
    await reach.everyone(caller);
    return changed(await agents.create(caller.ownerId, body));
  });

  table.add(declared.agentList, async ({ caller, query }) => {
    const { limit, offset, include_deleted: includeDeleted } = query;
    const page = { limit, offset, includeDeleted, status: statusOf(query.status) };
    const listed = await agents.list(caller.ownerId, page);
    return { agents: listed.agents.map((agent) => view.answer(agent)), total: listed.total, limit, offset };
  });

  table.add(declared.agentDirectory, ({ caller }) => directory.directory(caller.ownerId));

  table.add(declared.agentRoster, async ({ caller, request, reply }) => {
    void reply.header('Cache-Control', `private, max-age=${ROSTER_MAX_AGE_SECONDS}`);
    return answerWithTag(request, reply, await directory.roster(caller.ownerId));
  });

  table.add(declared.agentRead, async ({ caller, params, query }) =>
    view.answer(await agents.read(caller.ownerId, ref(params), query.include_deleted)),
  );

  table.add(declared.agentPatch, async ({ caller, params, body }) => {
    await reach.agent(caller, ref(params));
    return changed(await agents.patch(caller.ownerId, ref(params), body));
  });

  table.add(declared.agentRename, async ({ caller, params, body }) => {
    await reach.agent(caller, ref(params));
    return view.answer(await agents.rename(caller.ownerId, ref(params), body.slug));
  });

  table.add(declared.agentDelete, async ({ caller, params }) => {
    await reach.agent(caller, ref(params));
    await agents.delete(caller.ownerId, ref(params));
  });

  table.add(declared.agentProfileRead, async ({ caller, params }) => {
    const { record } = await agents.read(caller.ownerId, ref(params));
    return profileAnswer(record.profile);
  });

  table.add(declared.agentProfilePatch, async ({ caller, params, body }) => {
    await reach.agent(caller, ref(params));
    const { record } = await agents.patchProfile(caller.ownerId, ref(params), body);
    return profileAnswer(record.profile);
  });

  table.add(declared.agentPresence, async ({ caller, params, request, reply }) => {
    const agent = await agents.read(caller.ownerId, ref(params));
    return answerWithTag(request, reply, directory.presence(agent));
  });

  table.add(declared.agentSecretRead, async ({ caller, params }) => {
    await reach.agent(caller, ref(params));
    return { webhook_secret: await agents.secret(caller.ownerId, ref(params)) };
  });

  table.add(declared.agentSecretRotate, async ({ caller, params, body, request }) => {
    await reach.agent(caller, ref(params));
    requireConfirmation(request);
    const { secret, previousUntil } = await agents.rotateSecret(
      caller.ownerId,
      ref(params),
      body.overlap_seconds,
    );
    return { webhook_secret: secret, previous_valid_until: isoOrNull(previousUntil) };
  });

  table.add(declared.agentBeat, async ({ caller, params }) => {
    await reach.agent(caller, ref(params));
    const beatAt = await agents.backgroundBeat(caller.ownerId, ref(params));
    return { acknowledged: true, server_time: iso(beatAt) };
  });
}

const ref = (params: Readonly<Record<string, string>>): string => params.ref ?? '';

const isStatus = (word: string): word is AgentStatus => AGENT_STATUSES.some((status) => status === word);

function statusOf(word: string | undefined): AgentStatus | undefined {
  if (word === undefined || isStatus(word)) return word;
  throw new DeliveryError('invalid_status', `status must be one of ${AGENT_STATUSES.join(', ')}`);
}
