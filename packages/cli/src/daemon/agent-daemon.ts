import type { Clock } from '@parley/sdk/channels/clock';
import type { Transport } from '@parley/sdk/channels/transport';
import type { StreamEvent } from '@parley/sdk/event-stream-reader';
import { type FrameOutcome, payloadOf } from '../bridge/frames.ts';
import { Listening } from '../bridge/listening.ts';
import type { Log } from '../bridge/log.ts';
import { isFileId, isJsonObject, type JsonObject } from '../bridge/private-json.ts';
import { Refusal } from '../bridge/server-call.ts';
import { Session } from '../bridge/session.ts';
import { WakeStream } from '../bridge/wake-stream.ts';
import type { AgentFiles } from './agent-files.ts';
import type { AgentConfig } from './daemon-config.ts';
import { mayStart } from './gate.ts';
import { ItemWorker } from './item-worker.ts';
import { itemFrom, type WakeItem } from './wake-item.ts';

const RECONNECT = { baseDelayMs: 1_000, maxDelayMs: 30_000, jitterMs: 500 };
const STOP_GRACE_MS = 1_200;
const SEEN_STATES: readonly unknown[] = ['read', 'acked', 'expired'];

export interface AgentDaemonOptions {
  readonly agent: AgentConfig;
  readonly files: AgentFiles;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly isPaused: () => boolean;
}

/** Everything that wakes one agent: room turns, messages and cues, from one stream. */
export class AgentDaemon {
  readonly #options: AgentDaemonOptions;
  readonly #session: Session;
  readonly #worker: ItemWorker;
  #owner: string | undefined;

  constructor(options: AgentDaemonOptions) {
    const { agent, files, transport, clock, log, isPaused } = options;
    this.#options = options;
    this.#session = new Session(files.session, transport, clock);
    this.#worker = new ItemWorker({
      agent,
      files,
      clock,
      log,
      isPaused,
      agentId: () => this.#session.agentId,
      isDue: (item) => this.#isDue(item),
      report: (item) => this.#report(item),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, log, files, transport } = this.#options;
    this.#worker.nudge();
    const listening = new Listening({
      clock,
      random,
      log,
      reconnect: RECONNECT,
      open: async (stopped) => {
        await this.#learnOwner();
        const from = { session: this.#session, transport, clock, cursor: files.cursor };
        return await WakeStream.open(from, stopped, 'rooms,messages,cues');
      },
      handle: (frame) => this.#handle(frame),
      nudge: () => this.#worker.nudge(),
    });
    try {
      await listening.run(signal);
    } finally {
      await this.#worker.stop(STOP_GRACE_MS);
    }
  }

  async #learnOwner(): Promise<void> {
    if (this.#owner !== undefined) return;
    const { owner } = await this.#session.call({ path: '/v1/whoami' });
    const slug = isJsonObject(owner) ? owner['slug'] : undefined;
    this.#owner = typeof slug === 'string' ? slug : '';
  }

  async #handle(frame: StreamEvent): Promise<FrameOutcome> {
    const said = payloadOf(frame);
    switch (frame.event) {
      case 'stream.hello':
        if (isFileId(said['agent_id'])) this.#session.isAgent(said['agent_id']);
        return said['resume_status'] === 'replay_required' ? await this.#recover() : 'ignored';
      case 'stream.replay_required':
        return await this.#recover();
      case 'auth.relogin_required':
        await this.#session.renew(this.#session.token);
        return 'again';
      case 'room.closed':
      case 'room.purged':
        return await this.#roomOver(said);
      case undefined:
      default:
        return await this.#woken(frame.event, said);
    }
  }

  /** On disk first, acknowledged then. */
  async #woken(event: string | undefined, said: JsonObject): Promise<FrameOutcome> {
    const { agent, files, log } = this.#options;
    const item = itemFrom(event, said, this.#now());
    if (!item) return 'ignored';
    if (!mayStart(agent, this.#owner ?? '', item)) {
      log.info('wake.refused', { delivery_id: item.id, reason: 'the sender is not on the allow list' });
    } else if (!files.knows(item)) {
      files.put(item);
      log.info('wake.delivered', { delivery_id: item.id });
    }
    if (item.type === 'room.turn_ready') await this.#acknowledge(said['delivery_id']);
    return 'delivered';
  }

  async #roomOver(said: JsonObject): Promise<FrameOutcome> {
    const { files } = this.#options;
    for (const item of files.items()) {
      if (item.room_id === said['room_id'] && item.invoked_at === undefined)
        files.end(item, 'obsolete', this.#now());
    }
    await this.#acknowledge(said['delivery_id']);
    return 'delivered';
  }

  /** The server does not know where we were: it says which rooms wait, and sends everything else again. */
  async #recover(): Promise<FrameOutcome> {
    const { files } = this.#options;
    const { actionable } = await this.#session.call({ path: '/v1/agent/actionable-rooms' });
    for (const room of Array.isArray(actionable) ? actionable.filter(isJsonObject) : []) {
      const { token: _token, room_token: _other, ...said } = room;
      await this.#woken('room.turn_ready', { ...said, reason: 'replay_recovery' });
    }
    files.acknowledged('');
    return 'again';
  }

  async #acknowledge(delivery: unknown): Promise<void> {
    if (!isFileId(delivery)) return;
    try {
      const body = { delivery_id: delivery };
      await this.#session.call({ method: 'POST', path: '/v1/agent/stream/ack', body });
      this.#options.files.acknowledged(delivery);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
    }
  }

  async #isDue(item: WakeItem): Promise<boolean> {
    try {
      if (item.type === 'room.turn_ready') {
        const { state, next_turn: turn } = await this.#session.call({
          path: `/v1/rooms/${item.room_id}/state`,
        });
        return state === 'ACTIVE' && turn === item.data['next_turn'];
      }
      if (item.type === 'cue.wake') return true;
      const { state } = await this.#session.call({ path: `/v1/messages/${item.message_id}` });
      return !SEEN_STATES.includes(state);
    } catch (error) {
      if (error instanceof Refusal && error.isOver) return false;
      throw error;
    }
  }

  async #report({ message_id: id }: WakeItem): Promise<void> {
    if (id === null) return;
    const body = { bridge: this.#options.agent.name.slice(0, 64) };
    await this.#session.call({ method: 'POST', path: `/v1/messages/${id}/invoked`, body });
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}
