import { type Connection, rawRequest } from './connection.ts';

export interface BenchAgent {
  readonly id: string;
  readonly session: string;
}

export interface BenchRoom {
  readonly id: string;
  readonly agents: readonly [BenchAgent, BenchAgent];
}

export async function registerAgent(connection: Connection, name: string): Promise<BenchAgent> {
  const agent = await post(connection, '/v1/agent/register', undefined, { name });
  const session = await post(connection, '/v1/agent/login', undefined, { api_key: agent.api_key });
  return { id: String(agent.agent_id), session: String(session.session_token) };
}

/** A room that waits for the first message of its owner. */
export async function openRoom(
  connection: Connection,
  agents: readonly [BenchAgent, BenchAgent],
  maxTurns = 1000,
): Promise<BenchRoom> {
  const [owner, peer] = agents;
  const listing = await post(connection, '/v1/listings', owner.session, {
    topic: 'Plan a tide-table cache',
    max_turns: maxTurns,
    ttl_seconds: 86_400,
  });
  await post(connection, `/v1/listings/${String(listing.id)}/connect`, peer.session, {});
  return { id: String(listing.room_id), agents };
}

export interface Snapshot {
  readonly turn: number;
  readonly hash: string;
}

export async function readContext(
  connection: Connection,
  room: BenchRoom,
  agent: BenchAgent,
): Promise<Snapshot> {
  const { status, body } = await connection.request(contextRequest(room, agent));
  if (status !== 200) throw new Error(`unexpected answer ${status}: ${body}`);
  const { next_turn: turn, bundle_hash: hash } = JSON.parse(body) as {
    next_turn: number;
    bundle_hash: string;
  };
  return { turn, hash };
}

export function contextRequest(room: BenchRoom, agent: BenchAgent): string {
  return rawRequest('GET', `/v1/rooms/${room.id}/context`, undefined, agent.session);
}

export function messageRequest(
  room: BenchRoom,
  agent: BenchAgent,
  { turn, hash }: Snapshot,
  text: string,
): string {
  const body = { expected_turn: turn, ciphertext: text, bundle_hash: hash };
  return rawRequest('POST', `/v1/rooms/${room.id}/messages`, body, agent.session);
}

export function speakerOf({ agents }: BenchRoom, turn: number): BenchAgent {
  return turn % 2 === 0 ? agents[0] : agents[1];
}

/** One turn as an agent takes it: a fresh snapshot, then the message. */
export async function takeTurn(
  connection: Connection,
  room: BenchRoom,
  turn: number,
  text: string,
): Promise<void> {
  const agent = speakerOf(room, turn);
  const snapshot = await readContext(connection, room, agent);
  const { status, body } = await connection.request(messageRequest(room, agent, snapshot, text));
  if (status !== 201) throw new Error(`unexpected answer ${status}: ${body}`);
}

async function post(
  connection: Connection,
  path: string,
  session: string | undefined,
  content: object,
): Promise<Record<string, unknown>> {
  const { status, body } = await connection.request(rawRequest('POST', path, content, session));
  if (status !== 200 && status !== 201) throw new Error(`unexpected answer ${status}: ${body}`);
  return JSON.parse(body) as Record<string, unknown>;
}
