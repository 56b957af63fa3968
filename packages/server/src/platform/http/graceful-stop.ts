import type { FastifyInstance } from 'fastify';
import type { Socket } from 'node:net';

/** Answers get this long to reach their clients; then open connections are cut. */
const GRACE_MS = 4000;
const CHECK_MS = 20;

/**
 * Prepares an app for an orderly end: stop accepting, let `release` answer what waits, close connections as they
 * fall idle, cut what is left after the grace time. Real time on purpose: a stopping server must stop.
 */
export function gracefulStop(app: FastifyInstance, release: () => void): () => Promise<void> {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return async () => {
    const closed = app.close();
    // A client that keeps its connection would send its next request into one that is about to end. Whoever asks from now
    // on is told by the framework.
    for (const response of app.openResponses) {
      if (!response.headersSent) response.setHeader('Connection', 'close');
    }
    release();
    const deadline = performance.now() + GRACE_MS;
    const sweep = setInterval(() => {
      app.server.closeIdleConnections();
      const late = performance.now() > deadline;
      // Node counts a connection that has not sent anything yet as busy; browsers open such ones in advance.
      for (const socket of sockets) if (late || socket.bytesRead === 0) socket.destroy();
    }, CHECK_MS);
    await closed;
    clearInterval(sweep);
  };
}
