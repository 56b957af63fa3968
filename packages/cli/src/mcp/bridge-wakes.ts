import { join } from 'node:path';
import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { isObject, parsedObject } from '@parley/protocol/json';
import { type AgentConfig, readAgents } from '../daemon/daemon-config.ts';
import { type Loose } from './rpc.ts';

const HELLO_MS = 5_000;
const HELLO = 'parley.channel.v1';

/** A connection to the bridge of this machine, over which it hands out the agent's wakes. */
export interface BridgeConnection {
  readonly socket: Socket;
  /** What it says after its greeting. Taken from the beginning: a line that nobody listens for is gone. */
  readonly lines: AsyncIterator<string>;
}

export interface BridgeOptions {
  /** The folder of the bridge. */
  readonly home: string;
  readonly server: string;
  readonly agentId: string;
}

/**
 * Where a bridge of this machine has been set up to tell the agent's client of wakes (`--adapter mcp-channel`), it and not the server is
 * listened to: it keeps wakes until somebody took them, and tells their senders.
 */
export class BridgeWakes {
  readonly #options: BridgeOptions;
  /** What was taken and nothing was done about yet, with the ids by which tools call it. */
  readonly #taken = new Map<string, readonly string[]>();
  #socket: Socket | undefined;

  constructor(options: BridgeOptions) {
    this.#options = options;
  }

  /** Undefined while no bridge runs that has wakes for this agent. */
  async connect(): Promise<BridgeConnection | undefined> {
    for (const { name } of this.#candidates()) {
      const connection = await this.#tried(join(this.#options.home, name, 'channel.sock'));
      if (connection) return connection;
    }
    return undefined;
  }

  /** Until the bridge or the client ends. `tell` is given a wake as the bridge hands it to programs. */
  async follow(
    { socket, lines }: BridgeConnection,
    tell: (wake: Loose) => void,
    signal: AbortSignal,
  ): Promise<void> {
    this.#socket = socket;
    const leave = (): void => void socket.destroy();
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      for (let line = await lineOf(lines); line !== undefined; line = await lineOf(lines)) {
        const { wake } = parsedObject(line) ?? {};
        if (!isObject(wake) || typeof wake['id'] !== 'string') continue;
        tell(wake);
        this.#taken.set(wake['id'], idsOf(wake));
        this.#say({ taken: wake['id'] });
      }
    } finally {
      signal.removeEventListener('abort', leave);
      socket.destroy();
      this.#socket = undefined;
    }
  }

  /** The agent called a tool: what it names, it is at. */
  noticed(given: unknown): void {
    if (!this.#socket || !isObject(given)) return;
    const named = Object.values(given);
    for (const [id, names] of this.#taken) {
      if (!names.some((name) => named.includes(name))) continue;
      this.#taken.delete(id);
      this.#say({ resumed: id });
    }
  }

  #candidates(): readonly AgentConfig[] {
    try {
      return readAgents(this.#options.home).filter(
        ({ adapter, server }) => adapter.type === 'mcp-channel' && server === this.#options.server,
      );
    } catch {
      // Nobody set one up, or it is set up wrong: that is told by the bridge's own commands.
      return [];
    }
  }

  async #tried(path: string): Promise<BridgeConnection | undefined> {
    const socket = createConnection(path);
    socket.on('error', () => socket.destroy());
    const reader = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
    socket.once('close', () => reader.close());
    const lines = reader[Symbol.asyncIterator]();
    const patience = setTimeout(() => socket.destroy(), HELLO_MS);
    const first = await lineOf(lines).finally(() => clearTimeout(patience));
    const { hello: contract, agent_id: agent } = parsedObject(first ?? '') ?? {};
    if (contract === HELLO && agent === this.#options.agentId) return { socket, lines };
    socket.destroy();
    return undefined;
  }

  #say(value: object): void {
    this.#socket?.write(`${JSON.stringify(value)}\n`);
  }
}

/** Undefined at the end; a connection that breaks, or never was, is one too. */
async function lineOf(lines: AsyncIterator<string>): Promise<string | undefined> {
  try {
    const next = await lines.next();
    return next.done ? undefined : next.value;
  } catch {
    return undefined;
  }
}

const idsOf = (wake: Loose): string[] =>
  ['message_id', 'execution_id', 'handoff_id', 'room_id'].flatMap((key) => {
    const id = wake[key];
    return typeof id === 'string' ? [id] : [];
  });
