import { connect, type Socket } from 'node:net';

const MARK = 'event: message.created';

/** Many event-stream clients on bare sockets that note when each message reached them. */
export class Listeners {
  readonly #sockets: Socket[] = [];
  /** Called for each message at each listener. */
  #arrived: (() => void) | undefined;
  #received = 0;

  get received(): number {
    return this.#received;
  }

  async open(url: string, request: string, count: number): Promise<void> {
    while (this.#sockets.length < count) {
      const batch = Math.min(100, count - this.#sockets.length);
      this.#sockets.push(
        ...(await Promise.all(Array.from({ length: batch }, () => this.#one(url, request)))),
      );
    }
  }

  /** Sends one message and returns the milliseconds until it was with each listener; those it never reached are missing. */
  async deliver(send: () => Promise<unknown>, patienceMs: number): Promise<number[]> {
    const times: number[] = [];
    const start = performance.now();
    const all = new Promise<void>((resolve) => {
      const tooLong = setTimeout(resolve, patienceMs);
      this.#arrived = () => {
        times.push(performance.now() - start);
        if (times.length < this.#sockets.length) return;
        clearTimeout(tooLong);
        resolve();
      };
    });
    await send();
    await all;
    this.#arrived = undefined;
    return times;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Resolves when the stream has begun. */
  #one(url: string, request: string): Promise<Socket> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write(request, 'latin1'));
      let tail = '';
      socket.setEncoding('latin1');
      socket.on('data', (chunk: string) => {
        const text = tail + chunk;
        let from = 0;
        for (let at = text.indexOf(MARK); at !== -1; at = text.indexOf(MARK, from)) {
          from = at + MARK.length;
          this.#received += 1;
          this.#arrived?.();
        }
        // A mark that was cut in two by the packets is found with the next.
        tail = text.slice(Math.max(from, text.length - MARK.length + 1));
        if (chunk.includes('retry: 3000')) resolve(socket);
      });
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('a listener was cut off')));
    });
  }
}
