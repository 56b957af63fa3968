import { liveSessionStream } from '@parley/protocol/delivery/live-session-routes';
import type { Caller } from '../../wire/caller.ts';
import { bareResponse } from '../../platform/http/bare-response.ts';
import type { RouteTable } from '../../platform/http/route-table.ts';
import { reachedAgent } from '../agents/agents.ts';
import type { AgentSide } from '../create-agents.ts';
import { beatSession, sessionLabelled } from '../sessions/live-sessions.ts';
import type { OfferStreams } from './offer-streams.ts';

/** Whatever refuses a caller does so as an ordinary answer, before the stream begins. */
export function deliveryStreamRoutes(
  table: RouteTable<Caller>,
  agents: AgentSide,
  streams: OfferStreams,
): void {
  table.add(liveSessionStream, async ({ caller, params, request, reply }) => {
    const agent = await reachedAgent(agents, caller, params);
    if (request.method === 'HEAD') {
      await sessionLabelled(agents, agent, params.label ?? '');
      return reply.type('text/event-stream').send();
    }
    // Opening counts as a beat, and finds out whether there is such a session.
    const session = await beatSession(agents, agent, params.label ?? '');
    await streams.open({ agent, session, credential: caller.credential }, bareResponse(reply));
    return reply.hijack();
  });
}
