import type { ExecutionStatus, MessageState } from '@parley/protocol/delivery/vocabulary';
import { isObject, type JsonObject } from '@parley/protocol/json';
import { reasonOf } from '../bridge/failures.ts';
import type { Log } from '../bridge/log.ts';
import { isFileId } from '../bridge/kept/private-json.ts';
import { Refusal } from '../bridge/server-call.ts';
import type { Session } from '../bridge/session.ts';
import type { Receipt } from './receipts.ts';
import type { WakeItem } from './wake-item.ts';

const SEEN: ReadonlySet<unknown> = new Set<MessageState>(['read', 'acked', 'expired']);
const OPEN: ReadonlySet<unknown> = new Set<ExecutionStatus>([
  'pending',
  'retry_ready',
  'delivering',
  'retrying',
]);

/** Who the agent is, as the server says. */
export interface Self {
  readonly owner: string;
  readonly address: string;
  readonly peer: string;
}

/** What the daemon asks of the server for one agent. */
export class AgentServer {
  readonly #session: Session;
  readonly #log: Log;
  #self: Self | undefined;

  constructor(session: Session, log: Log) {
    this.#session = session;
    this.#log = log;
  }

  async self(): Promise<Self> {
    if (this.#self) return this.#self;
    const { owner, agent, peer_id: peer } = await this.#session.call({ path: '/v1/whoami' });
    this.#self = {
      owner: textIn(owner, 'slug'),
      address: textIn(agent, 'address'),
      peer: typeof peer === 'string' ? peer : '',
    };
    return this.#self;
  }

  /** The thing itself, as it is now; undefined when there is nothing to do about it any more. */
  async look(item: WakeItem): Promise<JsonObject | undefined> {
    try {
      return await this.#look(item);
    } catch (error) {
      if (error instanceof Refusal && error.isOver) return undefined;
      throw error;
    }
  }

  async #look(item: WakeItem): Promise<JsonObject | undefined> {
    const { type, message_id: message, execution_id: execution, handoff_id: handoff, room_id: room } = item;
    if (type === 'bridge.test') return {};
    if (type === 'room.turn_ready') return await this.#turn(item, room ?? '');
    if (type === 'handoff.wake') {
      const answer = await this.#session.call({ path: `/v1/coordination/handoff/${handoff}` });
      const found = isObject(answer['handoff']) ? answer['handoff'] : {};
      return found['recipient_status'] === 'pending' ? found : undefined;
    }
    if (message !== null) {
      const found = await this.#session.call({ path: `/v1/messages/${message}` });
      return SEEN.has(found['delivery_state']) ? undefined : found;
    }
    const found = await this.#session.call({ path: `/v1/executions/${execution}` });
    return OPEN.has(found['status']) ? found : undefined;
  }

  async #turn({ data }: WakeItem, room: string): Promise<JsonObject | undefined> {
    const now = await this.#session.call({ path: `/v1/rooms/${room}/state` });
    const { state, next_turn: turn, next_actor_id: actor } = now;
    if (state !== 'ACTIVE' || turn !== data['next_turn']) return undefined;
    if (typeof actor === 'string' && typeof data['next_actor_id'] === 'string') {
      if (actor !== data['next_actor_id']) return undefined;
    }
    return now;
  }

  /** Whether all who speak in a room are agents of the same owner as ours. */
  async isAmongOwn(room: string): Promise<boolean> {
    try {
      const { participants } = await this.#session.call({ path: `/v1/rooms/${room}/state` });
      const ids = (Array.isArray(participants) ? participants : []).map((each) => textIn(each, 'agent_id'));
      for (const id of ids) if (id !== this.#session.agentId && !(await this.#isOwn(id))) return false;
      return ids.length > 0;
    } catch (error) {
      if (error instanceof Refusal && error.isOver) return false;
      throw error;
    }
  }

  /** Agents of other owners are not shown. */
  async #isOwn(id: string): Promise<boolean> {
    if (!isFileId(id)) return false;
    const { owner } = await this.self();
    return (await this.#session.call({ path: `/v1/agents/${id}` }))['owner'] === owner;
  }

  /** What the agent noted for its next start. A wake does not fail for want of it. */
  async startup(): Promise<JsonObject | null> {
    try {
      const { peer } = await this.self();
      const body = {
        subject_kind: 'peer',
        subject_id: peer,
        view: 'startup',
        allow_fallback: true,
      };
      const read = await this.#session.call({ method: 'POST', path: '/v1/continuity/read', body });
      const { startup_summary, trust_signals, schedule_context, source_state, recovery_warnings } = read;
      return { startup_summary, trust_signals, schedule_context, source_state, recovery_warnings };
    } catch (error) {
      this.#log.warn('startup.missing', { reason: reasonOf(error) });
      return null;
    }
  }

  /** False when the server no longer knows the delivery: it is then no place to resume from. */
  async acknowledge(delivery: string): Promise<boolean> {
    try {
      const body = { delivery_id: delivery };
      await this.#session.call({ method: 'POST', path: '/v1/agent/stream/ack', body });
      return true;
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) return false;
      throw error;
    }
  }

  /** The rooms that wait for the agent, without their tokens. */
  async actionable(): Promise<JsonObject[]> {
    const { actionable } = await this.#session.call({ path: '/v1/agent/actionable-rooms' });
    const rooms = Array.isArray(actionable) ? actionable.filter(isObject) : [];
    return rooms.map(({ token: _token, room_token: _other, ...said }) => said);
  }

  async receipt({ kind, id, stage }: Receipt, bridge: string): Promise<void> {
    const { agentId } = this.#session;
    if (!isFileId(agentId)) return;
    const body = { kind, id, stage, bridge: bridge.slice(0, 64) };
    await this.#session.call({ method: 'POST', path: `/v1/agents/${agentId}/wakes`, body });
  }
}

function textIn(value: unknown, key: string): string {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : '';
}
