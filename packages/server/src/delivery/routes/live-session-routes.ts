import * as declared from '@parley/protocol/delivery/live-session-routes';
import type { Caller } from '../../wire/caller.ts';
import type { Params, RouteTable } from '../../platform/http/route-table.ts';
import { reachedAgent } from '../agents/agents.ts';
import type { AgentSide } from '../create-agents.ts';
import * as live from '../sessions/live-sessions.ts';
import type { SessionRow } from '../sessions/session-store.ts';

/** Live sessions of an agent. */
export function liveSessionRoutes(table: RouteTable<Caller>, agents: AgentSide): void {
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
}

const label = (params: Params): string => params.label ?? '';
