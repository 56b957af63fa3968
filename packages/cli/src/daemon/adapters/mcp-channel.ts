import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { parsedObject } from '@parley/protocol/json';
import { payloadOf } from '../payload.ts';
import type { Outcome, Run } from './run.ts';

/** How long a client may take to say that it has a wake. */
const PATIENCE_MS = 30_000;
/** A line longer than this is none of ours. */
const MAX_LINE = 65_536;

/**
 * Wakes for a program of this machine that is connected to the agent's session, such as the MCP server that the agent's client
 * runs. It connects to a socket in the bridge's own folder, which only its user can reach; both sides write JSON, a line each.
 *
 * | from    | line                              | means                                                      |
 * |---------|-----------------------------------|------------------------------------------------------------|
 * | bridge  | `{"hello":"parley.channel.v1",…}` | first of all: which agent it is                            |
 * | bridge  | `{"wake":{…}}`                    | a wake, as other adapters hand it over                     |
 * | client  | `{"taken":"ID"}`                  | the session was told of it: invoked                        |
 * | client  | `{"resumed":"ID"}`                | the agent is at it, or done with it: resumed               |
 * | client  | `{"refused":"ID","reason":"…"}`   | it could not be told; it is offered again later            |
 *
 * Of several clients the last to connect is told. One that leaves before it took a wake has not taken it, so a client may see
 * the same id again, and takes it again without another word to the agent.
 */
export class WakeChannel {
  readonly #path: string;
  readonly #hello: object;
  readonly #server: Server = createServer((socket) => this.#welcome(socket));
  readonly #resumed: (id: string) => void;
  readonly #connected: () => void;
  readonly #offers = new Map<string, Offer>();
  #clients: Socket[] = [];

  constructor(
    path: string,
    hello: object,
    hears: { readonly resumed: (id: string) => void; readonly connected: () => void },
  ) {
    this.#path = path;
    this.#hello = hello;
    this.#resumed = hears.resumed;
    this.#connected = hears.connected;
  }

  /** Whoever calls has the bridge's lock: a socket that is there was left by one that is gone. */
  async open(): Promise<void> {
    rmSync(this.#path, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#path, resolve);
    });
    chmodSync(this.#path, 0o600);
  }

  close(): void {
    for (const client of this.#clients) client.destroy();
    this.#server.close();
    rmSync(this.#path, { force: true });
  }

  get hasClient(): boolean {
    return this.#clients.length > 0;
  }

  async tell({ wake, clock, invoked, signal }: Run): Promise<Outcome> {
    const client = this.#clients.at(-1);
    if (!client) throw new Error('no client is connected to the channel');
    const { id } = wake.item;
    const taken = await new Promise<boolean>((resolve, reject) => {
      const patience = clock.after(PATIENCE_MS, () => reject(new Error('the client did not take the wake')));
      signal.addEventListener('abort', () => resolve(false), { once: true });
      this.#offers.set(id, { client, taken: () => resolve(true), refused: reject, patience });
      send(client, { wake: payloadOf(wake) });
    }).finally(() => {
      this.#offers.get(id)?.patience.cancel();
      this.#offers.delete(id);
    });
    if (!taken) return 'left';
    invoked();
    return 'done';
  }

  #welcome(socket: Socket): void {
    this.#clients.push(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#left(socket));
    const lines = createInterface({ input: socket, crlfDelay: Infinity });
    let size = 0;
    socket.on('data', (chunk: Buffer) => {
      const end = chunk.lastIndexOf(10);
      size = end === -1 ? size + chunk.length : chunk.length - end;
      if (size > MAX_LINE) socket.destroy();
    });
    lines.on('line', (line) => this.#hear(line));
    lines.on('error', () => {});
    send(socket, { hello: 'parley.channel.v1', ...this.#hello });
    this.#connected();
  }

  #hear(line: string): void {
    const said = parsedObject(line) ?? {};
    const { taken, resumed, refused, reason } = said;
    if (typeof taken === 'string') this.#offers.get(taken)?.taken();
    if (typeof refused === 'string') {
      const why = typeof reason === 'string' ? reason : 'it gave no reason';
      this.#offers.get(refused)?.refused(new Error(`the client refused: ${why}`));
    }
    if (typeof resumed !== 'string') return;
    this.#offers.get(resumed)?.taken();
    // After what is said about it has been written down.
    setImmediate(() => this.#resumed(resumed));
  }

  #left(socket: Socket): void {
    this.#clients = this.#clients.filter((client) => client !== socket);
    for (const { client, refused } of this.#offers.values()) {
      if (client === socket) refused(new Error('the client left before it took the wake'));
    }
  }
}

interface Offer {
  readonly client: Socket;
  readonly taken: () => void;
  readonly refused: (error: Error) => void;
  readonly patience: { cancel(): void };
}

const send = (socket: Socket, value: object): void => void socket.write(`${JSON.stringify(value)}\n`);
