import { isExecutionId, isMessageId } from '@parley/protocol/delivery/ids';
import { hasScope, MANAGE_AGENTS_SCOPE } from '@parley/protocol/identity/scopes';
import type { Agents } from '../../identity/agents/agents.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Caller } from '../../wire/caller.ts';
import { type DeliveryError, missingScope } from '../../wire/delivery/errors.ts';
import { readExecution } from '../records/execution-store.ts';
import type { MessageRow } from '../records/message-row.ts';
import { readMessage } from '../records/message-store.ts';
import { addressOf } from '../../identity/agents/agent-details.ts';

/**
 * How far a key reaches among the agents of its owner. An agent's key that leaked, or whose agent was talked into
 * something, must not read the mail of its siblings, sign in their name or delete them: that needs `manage:agents`.
 *
 * | of a sibling                                            | without the scope |
 * |---------------------------------------------------------|-------------------|
 * | directory, roster, what it is, profile, presence        | readable          |
 * | change, rename, delete, beat; boxes, sessions, secrets  | 403               |
 * | a message between others, an execution or cue for another | 403             |
 * | lists of executions and cues                            | leave them out    |
 *
 * What is nobody's in particular (work without an agent, workers, threads) belongs to the owner, and every key of it.
 */
export function agentReach({ read }: Database, directory: Agents) {
  const onlyOf = async (caller: Caller): Promise<string | undefined> =>
    hasScope(caller.scopes, MANAGE_AGENTS_SCOPE) ? undefined : (await directory.acting(caller)).suffix;

  const mail = async (
    caller: Caller,
    id: string,
    isTheirs: (message: MessageRow, only: string) => boolean,
  ): Promise<string> => {
    const only = await onlyOf(caller);
    if (only === undefined || !isMessageId(id)) return id;
    const message = await readMessage(read, caller.ownerId, id);
    if (message && !isTheirs(message, only)) throw tooFar();
    return id;
  };

  return {
    /** The only agent the caller may act on; undefined when it may act on all of its owner. */
    only: onlyOf,

    /** For calls that concern no agent that exists yet. */
    async everyone(caller: Caller): Promise<void> {
      if ((await onlyOf(caller)) !== undefined) throw tooFar();
    },

    /** An agent that is not there is told as such, whoever asks. Gives back how it was named. */
    async agent(caller: Caller, ref: string): Promise<string> {
      if (names(caller, ref)) return ref;
      const only = await onlyOf(caller);
      if (only === undefined) return ref;
      const { suffix } = await directory.resolveOwnOrDeleted(caller.ownerId, ref);
      if (suffix !== only) throw tooFar();
      return ref;
    },

    /** What an agent is the target of, such as a cue; null is nobody's in particular. */
    async target(caller: Caller, suffix: string | null): Promise<void> {
      if (suffix === null || caller.agent?.suffix === suffix) return;
      const only = await onlyOf(caller);
      if (only !== undefined && only !== suffix) throw tooFar();
    },

    /** One that is not there is left to whoever looks for it next. Gives back the id. */
    message: (caller: Caller, id: string) =>
      mail(caller, id, (one, only) => one.sender === only || one.recipient === only),

    /** As `message`; only its recipient says that it has read one. */
    receipt: (caller: Caller, id: string) =>
      mail(caller, id, (one, only) => one.recipient === only || one.recipient_owner !== caller.ownerId),

    /** As `message`. */
    async execution(caller: Caller, id: string): Promise<string> {
      const only = await onlyOf(caller);
      if (only === undefined || !isExecutionId(id)) return id;
      const execution = await readExecution(read, caller.ownerId, id);
      if (!execution || execution.agent === null) return id;
      if (execution.agent === only || execution.target === only) return id;
      if (execution.via_parent === 1 && execution.message_id !== null) {
        const message = await readMessage(read, caller.ownerId, execution.message_id);
        if (message?.recipient === only) return id;
      }
      throw tooFar();
    },
  };
}

export type AgentReach = ReturnType<typeof agentReach>;

const HINT = `This key acts for one agent. For its siblings use an owner-wide key, or one made with the scope ${MANAGE_AGENTS_SCOPE}.`;

const tooFar = (): DeliveryError => missingScope(MANAGE_AGENTS_SCOPE, HINT);

/** Nearly every call of an agent names itself, in one of these ways: no need to look it up. */
function names({ agent, ownerSlug }: Caller, ref: string): boolean {
  if (!agent) return false;
  const { suffix, slug } = agent;
  return (
    ref === slug ||
    ref === `agent_${suffix}` ||
    ref === `agt_${suffix}` ||
    ref === addressOf(agent, ownerSlug)
  );
}
