import type { JsonObject } from '@parley/protocol/json';
import type { Clock } from '@parley/sdk/channels/clock';
import type { Transport } from '@parley/sdk/channels/transport';
import type { StreamEvent } from '@parley/sdk/event-stream-reader';
import { isoNow } from '../bridge/bridge.ts';
import type { CliError } from '../cli-error.ts';
import { CutTransport } from '../bridge/cut-transport.ts';
import { type FrameOutcome, payloadOf } from '../bridge/frames.ts';
import { Listening } from '../bridge/listening.ts';
import type { Log } from '../bridge/log.ts';
import { isFileId } from '../bridge/kept/private-json.ts';
import { Session } from '../bridge/session.ts';
import { readSession } from '../bridge/kept/session-file.ts';
import { Stopping } from '../bridge/stopping.ts';
import { WakeStream } from '../bridge/wake-stream.ts';
import { runAdapter } from './adapters/adapter.ts';
import { WakeChannel } from './adapters/mcp-channel.ts';
import type { AgentFiles } from './agent-files.ts';
import { AgentServer } from './agent-server.ts';
import type { AgentConfig } from './daemon-config.ts';
import { mayStart } from './gate.ts';
import { ItemWorker } from './item-worker.ts';
import type { Wake } from './payload.ts';
import { Receipts } from './receipts.ts';
import { itemFrom, namesOf, type WakeItem } from './wake-item.ts';

const RECONNECT = { baseDelayMs: 1_000, maxDelayMs: 30_000, jitterMs: 500 };
const INCLUDED = 'rooms,messages,cues,handoffs';

export interface AgentDaemonOptions {
  readonly agent: AgentConfig;
  readonly files: AgentFiles;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly isPaused: () => boolean;
}

/** Everything that wakes one agent: turns in rooms, messages, cues and handoffs, from one stream into one queue. */
export class AgentDaemon {
  readonly #options: AgentDaemonOptions;
  readonly #transport: CutTransport;
  readonly #session: Session;
  readonly #server: AgentServer;
  readonly #receipts: Receipts;
  readonly #worker: ItemWorker;
  readonly #channel: WakeChannel | undefined;
  readonly #end = new AbortController();
  #owner = '';
  #failure: CliError | undefined;

  constructor(options: AgentDaemonOptions) {
    const { agent, files, clock, log, isPaused } = options;
    this.#options = options;
    this.#transport = new CutTransport(options.transport);
    this.#session = new Session(files.session, this.#transport, clock);
    this.#server = new AgentServer(this.#session, log);
    this.#receipts = new Receipts(files.receipts, log, (receipt) =>
      this.#server.receipt(receipt, agent.name),
    );
    this.#channel = agent.adapter.type === 'mcp-channel' ? this.#newChannel() : undefined;
    this.#worker = new ItemWorker({
      agent,
      files,
      receipts: this.#receipts,
      clock,
      log,
      isPaused,
      isReady: () => this.#channel?.hasClient ?? true,
      prepare: (item) => this.#prepare(item),
      runAdapter: (run) => runAdapter(run, this.#channel),
      fatal: (error) => this.#fail(error),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, log, files } = this.#options;
    const transport = this.#transport;
    const stopped = AbortSignal.any([signal, this.#end.signal]);
    const stopping = new Stopping(stopped, { clock, transport });
    files.removeStrays(clock.now());
    files.keepKey(readSession(files.session)?.api_key ?? '');
    await this.#channel?.open();
    this.#worker.nudge();
    const listening = new Listening({
      clock,
      random,
      log,
      reconnect: RECONNECT,
      open: async (until) => {
        this.#owner = (await this.#server.self()).owner;
        const from = { session: this.#session, transport, clock, cursor: files.cursor };
        return await WakeStream.open(from, until, INCLUDED);
      },
      handle: (frame) => this.#handle(frame),
      nudge: () => this.#worker.nudge(),
    });
    try {
      await listening.run(stopped);
    } finally {
      await this.#worker.stop(stopping.graceMs);
      stopping.over();
      this.#channel?.close();
    }
    if (this.#failure) throw this.#failure;
  }

  #fail(error: CliError): void {
    this.#failure ??= error;
    this.#end.abort();
  }

  #newChannel(): WakeChannel {
    const { agent, files } = this.#options;
    const hello = { agent: agent.name, agent_id: this.#session.agentId, server: agent.server };
    return new WakeChannel(files.channel, hello, {
      connected: () => this.#worker.retryAll(),
      resumed: (id) => this.#resumedLater(id),
    });
  }

  #resumedLater(id: string): void {
    const { files, log } = this.#options;
    const wake = files.ended.find((one) => one.id === id);
    if (!wake || !files.resumed(id, isoNow(this.#options))) return;
    log.info('wake.resumed', { delivery_id: id });
    this.#receipts.add(wake.names, 'resumed');
  }

  async #handle(frame: StreamEvent): Promise<FrameOutcome> {
    const said = payloadOf(frame);
    switch (frame.event) {
      case 'stream.hello':
        if (isFileId(said['agent_id'])) this.#session.isAgent(said['agent_id']);
        this.#options.log.info('stream.connected', { status: String(said['resume_status']) });
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
    const { files, log } = this.#options;
    const item = itemFrom(event, said, isoNow(this.#options), this.#owner);
    if (!item) return 'ignored';
    if (!(await this.#mayStart(item))) {
      log.info('wake.refused', { delivery_id: item.id, reason: 'the sender is not on the allow list' });
    } else if (!files.knows(item) || this.#saysMore(item)) {
      await this.#keep(item);
    }
    if (item.type === 'room.turn_ready') await this.#acknowledge(said['delivery_id']);
    return 'delivered';
  }

  /** A turn does not say who else is in the room: the server is asked. */
  async #mayStart(item: WakeItem): Promise<boolean> {
    const { agent } = this.#options;
    if (mayStart(agent, this.#owner, item)) return true;
    if (item.room_id === null || !agent.allow.includes('same-owner')) return false;
    return await this.#server.isAmongOwn(item.room_id);
  }

  /** Delivered is what is here with all its text; a message that was seen meanwhile wakes nobody. */
  async #keep(item: WakeItem): Promise<void> {
    const { files, log } = this.#options;
    const thing = item.type === 'message.wake' ? await this.#server.look(item) : item.data;
    if (!thing) return;
    files.put({ ...item, ...(thing !== item.data && { thing }) });
    this.#receipts.add(namesOf(item), 'delivered');
    log.info('wake.delivered', { delivery_id: item.id });
  }

  /** A cue or a handoff whose message came first, and waits. */
  #saysMore({ id, type }: WakeItem): boolean {
    const known = type === 'message.wake' ? undefined : this.#options.files.waiting(id);
    return known?.type === 'message.wake' && known.starting_at === undefined;
  }

  async #roomOver(said: JsonObject): Promise<FrameOutcome> {
    const { files } = this.#options;
    for (const item of files.items()) {
      if (item.room_id === said['room_id'] && item.starting_at === undefined) {
        files.end(item, 'obsolete', isoNow(this.#options));
      }
    }
    await this.#acknowledge(said['delivery_id']);
    return 'delivered';
  }

  /** The server does not know where we were: it says which rooms wait, and sends everything else again. */
  async #recover(): Promise<FrameOutcome> {
    for (const room of await this.#server.actionable()) {
      await this.#woken('room.turn_ready', { ...room, reason: 'replay_recovery' });
    }
    this.#options.files.acknowledged('');
    return 'again';
  }

  async #acknowledge(delivery: unknown): Promise<void> {
    if (!isFileId(delivery)) return;
    if (await this.#server.acknowledge(delivery)) this.#options.files.acknowledged(delivery);
  }

  async #prepare(item: WakeItem): Promise<Wake | undefined> {
    const { agent, files } = this.#options;
    const thing = await this.#server.look(item);
    if (!thing) return undefined;
    const { address } = await this.#server.self();
    return {
      server: agent.server,
      agentId: this.#session.agentId,
      address,
      keyFile: files.keyFile,
      item,
      thing,
      ...(agent.startup && { startup: await this.#server.startup() }),
    };
  }
}
