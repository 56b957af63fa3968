import type { TestServer } from '../../../testing/start-server.ts';
import type { RoomAgent } from '../../testing/room-client.ts';
import { type ReaderOptions, SseReader } from '../../../testing/sse-reader.ts';

export const listen = (
  server: TestServer,
  agent: RoomAgent,
  roomId: string,
  { query = '', ...options }: ReaderOptions & { query?: string } = {},
): Promise<SseReader> =>
  SseReader.open(server, `/v1/rooms/${roomId}/events${query}`, { key: agent.session, ...options });
