import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Node tells only the response whose turn it is that its connection broke. Those of pipelined requests behind it would
 * stay parked for a client that is gone, and keep its channel alive: they are told here.
 */
export function closeQueuedResponses(server: Server): void {
  const queues = new WeakMap<Socket, Set<ServerResponse>>();
  server.on('request', ({ socket }, response: ServerResponse) => {
    if (response.socket !== null) return;
    const queue = queues.get(socket) ?? newQueue(socket);
    queues.set(socket, queue);
    queue.add(response);
    response.once('close', () => queue.delete(response));
  });
}

function newQueue(socket: Socket): Set<ServerResponse> {
  const queue = new Set<ServerResponse>();
  socket.once('close', () => {
    for (const response of queue) if (response.socket === null) response.emit('close');
  });
  return queue;
}
