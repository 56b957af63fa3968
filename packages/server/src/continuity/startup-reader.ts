import { ALL_NAMESPACES, AGENT_KEY_SCOPES } from '@parley/protocol/identity/scopes';
import type { StartupAnswer } from '@parley/protocol/continuity/answers';
import * as routes from '@parley/protocol/continuity/routes';
import type { Caller } from '../wire/caller.ts';
import type { Remembering, StartupReader } from '../wire/startup-view.ts';
import type { ContinuityService } from './service.ts';

/** Reads an agent's own capsule as the agent itself would at its start. */
export function startupReader(service: ContinuityService): StartupReader {
  const operation = service.operations.get(routes.read.name);
  return async (agent) => {
    const body = {
      subject_kind: 'peer',
      subject_id: agent.slug,
      view: 'startup',
      allow_fallback: true,
    };
    const answer = await operation?.run({ caller: callerOf(agent), body, raw: body, bytes: 0 });
    // What the operation answers is declared by its route.
    const read = answer as StartupAnswer | undefined;
    if (!read?.capsule) return undefined;
    const { updated_at: updatedAt, source } = read.capsule;
    return {
      path: read.path,
      source_state: read.source_state,
      updated_at: updatedAt,
      written_by: source?.producer ?? agent.slug,
      startup_summary: read.startup_summary,
      trust_signals: read.trust_signals,
      schedule_context: read.schedule_context,
    };
  };
}

/** Nobody asks: the server does, for the agent. */
function callerOf({ ownerId, ownerSlug, suffix, slug, name }: Remembering): Caller {
  return {
    ownerId,
    ownerSlug,
    plan: 'self_hosted',
    agent: { suffix, ownerId, slug, name },
    credential: { kind: 'internal', id: 'startup', expiresAt: null },
    keyId: 'startup',
    keyPrefix: 'startup',
    scopes: AGENT_KEY_SCOPES,
    readNamespaces: ALL_NAMESPACES,
    writeNamespaces: [],
  };
}
