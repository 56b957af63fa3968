import type { TestServer } from '../../../testing/start-server.ts';
import type { RoomAgent } from '../../testing/room-client.ts';
import { type ReaderOptions, SseReader } from '../../../testing/sse-reader.ts';

export const listen = (
  server: TestServer,
  agent: RoomAgent,
  { query = '', ...options }: ReaderOptions & { query?: string } = {},
): Promise<SseReader> =>
  SseReader.open(server, `/v1/agent/stream${query}`, { key: agent.session, ...options });

/** Everything a new connection is sent before it only waits. */
export const backlog = async (
  server: TestServer,
  agent: RoomAgent,
  options: ReaderOptions & { query?: string } = {},
): Promise<SseReader> => {
  const stream = await listen(server, agent, options);
  await stream.event('stream.hello');
  // A delivery of a room of its own marks the end: it is sent after everything that was pending.
  const sentinel = await agent.list({ topic: 'sentinel' });
  await agent.close(sentinel.room_id);
  await stream.until(({ frames }) => frames.some(({ data }) => data.room_id === sentinel.room_id));
  const mark = stream.frames.at(-1);
  await agent.acknowledge(mark?.id);
  stream.close();
  return stream;
};

export const woken = ({ frames }: SseReader): unknown[][] =>
  frames.slice(1, -1).map(({ event, data }) => [event, data.room_id, data.next_turn]);
