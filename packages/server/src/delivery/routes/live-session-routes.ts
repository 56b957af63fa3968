import * as declared from '@parley/protocol/delivery/live-session-routes';
import type { Caller } from '../../wire/caller.ts';
import { bareResponse } from '../../platform/http/bare-response.ts';
import type { Params, RouteTable } from '../../platform/http/route-table.ts';
import { reachedAgent } from '../agents/agents.ts';
import type { AgentSide } from '../create-agents.ts';
import * as live from '../sessions/live-sessions.ts';
import type { SessionRow } from '../sessions/session-store.ts';
import type { OfferStreams } from '../streams/offer-streams.ts';

/** Live sessions of an agent, and the stream of what each is offered. */
export function liveSessionRoutes(table: RouteTable<Caller>, agents: AgentSide, streams: OfferStreams): void {
  const { clock, sessionView } = agents;
  const own = (caller: Caller, params: Params) => reachedAgent(agents, caller, params);
  const shown = (session: SessionRow) => sessionView.answer(session, clock.now());

  table.add(declared.liveSessionAttach, async ({ caller, params, body }) =>
    shown(await live.attachSession(agents, await own(caller, params), caller.ownerSlug, body)),
  );

  table.add(declared.liveSessionList, async ({ caller, params, query }) => {
    const listed = await live.listSessions(agents, await own(caller, params), query.include_detached);
    return listed.map(shown);
  });

  table.add(declared.liveSessionPatch, async ({ caller, params, body }) =>
    shown(await live.patchSession(agents, await own(caller, params), label(params), body)),
  );

  table.add(declared.liveSessionBeat, async ({ caller, params, body }) =>
    shown(
      await live.beatSession(agents, await own(caller, params), label(params), body.monitor_version ?? null),
    ),
  );

  table.add(declared.liveSessionDetach, async ({ caller, params }) =>
    shown(await live.detachSession(agents, await own(caller, params), label(params))),
  );

  /** Whatever refuses a caller does so as an ordinary answer, before the stream begins. */
  table.add(declared.liveSessionStream, async ({ caller, params, request, reply }) => {
    const agent = await own(caller, params);
    if (request.method === 'HEAD') {
      await live.sessionLabelled(agents, agent, label(params));
      return reply.type('text/event-stream').send();
    }
    // Opening counts as a beat, and finds out whether there is such a session.
    const session = await live.beatSession(agents, agent, label(params));
    await streams.open({ agent, session, credential: caller.credential }, bareResponse(reply));
    return reply.hijack();
  });
}

const label = (params: Params): string => params.label ?? '';
