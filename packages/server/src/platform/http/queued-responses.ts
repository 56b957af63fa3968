import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Answers that one connection may have waiting behind the one whose turn it is. Clients that pipeline send far fewer. */
export const MOST_QUEUED = 100;

/**
 * Looks after the responses of pipelined requests that wait behind another.
 *
 * Node tells only the response whose turn it is that its connection broke. Those behind it would stay parked for a client
 * that is gone, and keep its channel alive: they are told here.
 *
 * And Node takes in all that a client sends in one piece, and reads on for as long as nothing is written. A client that
 * does not read its answers, or sends polls that all wait, could fill the memory with them. So with many in the queue the
 * connection is not read, and what was read already is begun only when those before it are answered.
 */
export class QueuedResponses {
  readonly #queues = new WeakMap<Socket, Queue>();

  constructor(server: Server) {
    // Before whoever routes the request and asks for its turn.
    server.prependListener('request', ({ socket }, response: ServerResponse) => {
      if (response.socket !== null) return;
      const queue = this.#queues.get(socket) ?? new Queue(socket);
      this.#queues.set(socket, queue);
      queue.add(response);
    });
  }

  /** Begins the request at once, or when it is one of the first in its queue. Never when the connection is over by then. */
  whenDue({ socket }: IncomingMessage, begin: () => void): void {
    const queue = this.#queues.get(socket);
    if (queue) queue.whenDue(begin);
    else begin();
  }
}

class Queue {
  readonly #socket: Socket;
  readonly #waiting = new Set<ServerResponse>();
  /** The last of them, whose requests are not begun. */
  #held: (() => void)[] = [];
  #beginning = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    // Node starts to read again after each request it has taken in.
    socket.on('resume', () => this.#stopIfFull());
    socket.once('close', () => {
      this.#held = [];
      for (const response of this.#waiting) if (response.socket === null) response.emit('close');
    });
  }

  add(response: ServerResponse): void {
    this.#waiting.add(response);
    response.once('close', () => this.#remove(response));
    this.#stopIfFull();
  }

  whenDue(begin: () => void): void {
    if (this.#begun <= MOST_QUEUED) begin();
    else this.#held.push(begin);
  }

  #remove(response: ServerResponse): void {
    const wasFull = this.#isFull;
    this.#waiting.delete(response);
    if (!this.#beginning) this.#beginDue();
    if (wasFull && !this.#isFull && !this.#socket.destroyed) this.#socket.resume();
  }

  /** One after the other: an answer that is there at once must not begin the next from within. */
  #beginDue(): void {
    this.#beginning = true;
    while (this.#begun < MOST_QUEUED) {
      const begin = this.#held.shift();
      if (!begin) break;
      begin();
    }
    this.#beginning = false;
  }

  get #begun(): number {
    return this.#waiting.size - this.#held.length;
  }

  get #isFull(): boolean {
    return this.#waiting.size >= MOST_QUEUED;
  }

  #stopIfFull(): void {
    if (this.#isFull) this.#socket.pause();
  }
}
