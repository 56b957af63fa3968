import { connect } from 'node:net';
import { openChannel, sendRequest } from './channel.ts';
import { type Connection, rawRequest } from './connection.ts';
import { json } from './mail.ts';
import { openRoom, registerAgent } from './room.ts';
import type { ServerProcess } from './server-process.ts';

/** Work that leaves nothing behind, played over and over; how many requests it took. */
export interface Churn {
  play(ms: number): Promise<number>;
}

const SENDS = 4;

/** Channels are made, talked in and left: what each held must be gone when it is over. */
export function channelChurn(connections: readonly Connection[]): Churn {
  return {
    play: (ms) =>
      repeated(ms, connections, async (connection) => {
        const channel = await openChannel(connection, 2);
        const { id, token, participants } = channel;
        for (let sent = 0; sent < SENDS; sent++)
          await json(connection.request(sendRequest(channel, 'x'.repeat(500))));
        for (const participant of participants) {
          const body = { token, participant_id: participant };
          await json(connection.request(rawRequest('POST', `/channels/${id}/leave`, body)));
        }
        return 1 + 2 * participants.length + SENDS;
      }),
  };
}

/** Streams of an agent and of a room are opened, begin and are cut off. */
export async function streamChurn(
  { url }: ServerProcess,
  connections: readonly Connection[],
): Promise<Churn> {
  const [connection] = connections;
  if (!connection) throw new Error('there is no connection');
  const agents = [await registerAgent(connection, 'a'), await registerAgent(connection, 'b')] as const;
  const room = await openRoom(connection, agents);
  const requests = ['/v1/agent/stream', `/v1/rooms/${room.id}/events`].map((path) =>
    rawRequest('GET', path, undefined, agents[0].session),
  );
  return {
    play: (ms) =>
      repeated(ms, connections, async () => {
        for (const request of requests) await begin(url, request);
        return requests.length;
      }),
  };
}

/** Resolves once the stream has begun, and leaves it. */
function begin(url: string, request: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request, 'latin1'));
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\r\n\r\n') && !text.startsWith('HTTP/1.1 200'))
        reject(new Error(text.slice(0, 200)));
      if (text.includes('retry: ')) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
}

async function repeated(
  ms: number,
  connections: readonly Connection[],
  once: (connection: Connection) => Promise<number>,
): Promise<number> {
  const end = performance.now() + ms;
  let requests = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < end) requests += await once(connection);
    }),
  );
  return requests;
}
