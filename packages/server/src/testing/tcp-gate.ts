import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

interface Watch {
  readonly text: string;
  broken: boolean;
}

/** Stands between a client and a server on this machine, and can be shut: what is under way stands still, and nobody is let in. */
export class TcpGate {
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #server = createServer((socket) => this.#join(socket));
  readonly #target: { host: string; port: number };
  #shut = false;
  #watch: Watch | undefined;

  constructor(host: string, port: number) {
    this.#target = { host, port };
  }

  async open(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** As when a cable is pulled: nothing is told to either end. */
  shut(): void {
    this.#shut = true;
    for (const [near, far] of this.#pairs) {
      near.unpipe(far);
      far.unpipe(near);
    }
  }

  /** What was there before is broken off; what comes is let through. */
  lift(): void {
    this.#shut = false;
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  /** What stands still goes on doing so, as seen from either end, while what comes is let through. */
  letOthersIn(): void {
    this.#shut = false;
  }

  /** What commits the transaction that this text was sent in gets there, and its answer does not come back: the connection breaks. */
  breakCommitOf(text: string): void {
    this.#watch = { text, broken: false };
    for (const pair of this.#pairs) watchPair(this.#watch, pair);
  }

  async close(): Promise<void> {
    this.lift();
    this.#server.close();
  }

  #join(near: Socket): void {
    const far = connect(this.#target);
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#pairs.delete(pair);
        near.destroy();
        far.destroy();
      });
    }
    if (this.#shut) return;
    near.pipe(far);
    far.pipe(near);
    if (this.#watch) watchPair(this.#watch, pair);
  }
}

function watchPair(watch: Watch, [near, far]: readonly [Socket, Socket]): void {
  let sent = false;
  near.on('data', (chunk: Buffer) => {
    sent ||= chunk.includes(watch.text);
    if (!sent || watch.broken || !chunk.includes('COMMIT')) return;
    watch.broken = true;
    far.unpipe(near);
    // What is no longer piped anywhere is not read by itself.
    far.once('data', () => near.destroy()).resume();
  });
}
