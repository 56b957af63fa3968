import type { Socket } from 'node:net';

/** How long a client that stopped sending is waited for. */
const QUIET_MS = 5_000;

/**
 * For an answer that does not wait for the whole request. Closed at once, the connection would break for a client that is
 * still sending, before it reads why. So only our direction is closed, and what the client sends on is dropped, until it
 * closes, is quiet, or has used up the time a request may take.
 */
export function lingerOnClose(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    socket.setTimeout(QUIET_MS, () => socket.destroy());
  };
}
