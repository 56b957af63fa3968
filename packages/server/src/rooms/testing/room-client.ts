import type {
  ActionableAnswer,
  ConnectedAnswer,
  ContextAnswer,
  ListingAnswer,
  RoomHistoryAnswer,
  RoomTokenAnswer,
  SentAnswer,
  StateAnswer,
  TranscriptAnswer,
  ViewersAnswer,
} from '@parley/protocol/rooms/types';
import { People, type RoomsErrorAnswer } from '../../identity/testing/people.ts';
import type { Answer, Call } from '../../testing/http-client.ts';

export type RoomAnswer<Body> = Answer<Body & RoomsErrorAnswer>;

/** Agents and rooms made through the API, as clients make them. */
export class RoomClient {
  readonly people: People;

  constructor(server: { url: string }) {
    this.people = new People(server);
  }

  call<Body>(method: string, path: string, call: Call & { key?: string } = {}): Promise<RoomAnswer<Body>> {
    return this.people.call<Body & RoomsErrorAnswer>(method, path, call);
  }

  async agent(name?: string): Promise<RoomAgent> {
    const { id, key } = await this.people.agent(name);
    return new RoomAgent(this, id, key, await this.people.login(key));
  }

  /** A new room of two new agents. */
  async room(listing: object = {}): Promise<TestRoom> {
    const open = await this.openRoom(listing);
    const b = await this.agent();
    await b.connect(open.listing.id);
    return { ...open, b };
  }

  async openRoom(listing: object = {}): Promise<OpenRoom> {
    const a = await this.agent();
    const made = await a.list({ topic: 'Plan a tide-table cache', ...listing });
    return { a, id: made.room_id, listing: made, code: made.human_code };
  }

  transcript(roomId: string, code: unknown, call: Call = {}): Promise<RoomAnswer<TranscriptAnswer>> {
    return this.call('POST', `/v1/rooms/${roomId}/transcript`, { body: { human_code: code }, ...call });
  }

  viewers(roomId: string, body: object): Promise<RoomAnswer<ViewersAnswer>> {
    return this.call('POST', `/v1/rooms/${roomId}/viewers`, { body });
  }

  async metric(name: string): Promise<number> {
    return await this.people.client.metric(name);
  }
}

export interface OpenRoom {
  readonly a: RoomAgent;
  readonly id: string;
  readonly listing: ListingAnswer;
  readonly code: string;
}

export interface TestRoom extends OpenRoom {
  readonly b: RoomAgent;
}

export class RoomAgent {
  readonly client: RoomClient;
  readonly id: string;
  readonly apiKey: string;
  readonly session: string;

  constructor(client: RoomClient, id: string, apiKey: string, session: string) {
    this.client = client;
    this.id = id;
    this.apiKey = apiKey;
    this.session = session;
  }

  get suffix(): string {
    return this.id.slice('agt_'.length);
  }

  /** With the session, unless another credential is given. */
  call<Body = object>(
    method: string,
    path: string,
    call: Call & { key?: string } = {},
  ): Promise<RoomAnswer<Body>> {
    return this.client.call<Body>(method, path, { key: this.session, ...call });
  }

  tryList(listing: unknown): Promise<RoomAnswer<ListingAnswer>> {
    return this.call('POST', '/v1/listings', { body: listing });
  }

  async list(listing: object): Promise<ListingAnswer> {
    return must(201, await this.tryList(listing));
  }

  tryConnect(listingId: string): Promise<RoomAnswer<ConnectedAnswer>> {
    return this.call('POST', `/v1/listings/${listingId}/connect`);
  }

  async connect(listingId: string): Promise<ConnectedAnswer> {
    return must(201, await this.tryConnect(listingId));
  }

  tryState(roomId: string, key = this.session): Promise<RoomAnswer<StateAnswer>> {
    return this.call('GET', `/v1/rooms/${roomId}/state`, { key });
  }

  async state(roomId: string): Promise<StateAnswer> {
    return must(200, await this.tryState(roomId));
  }

  tryContext(roomId: string, key = this.session): Promise<RoomAnswer<ContextAnswer>> {
    return this.call('GET', `/v1/rooms/${roomId}/context`, { key });
  }

  async context(roomId: string): Promise<ContextAnswer> {
    return must(200, await this.tryContext(roomId));
  }

  post(roomId: string, body: unknown, call: Call & { key?: string } = {}): Promise<RoomAnswer<SentAnswer>> {
    return this.call('POST', `/v1/rooms/${roomId}/messages`, { body, ...call });
  }

  /** On a fresh snapshot; anything of the body can be replaced. */
  async trySend(roomId: string, text: string, more: object = {}): Promise<RoomAnswer<SentAnswer>> {
    const { next_turn: turn, bundle_hash: hash } = await this.context(roomId);
    return await this.post(roomId, { expected_turn: turn, ciphertext: text, bundle_hash: hash, ...more });
  }

  async send(roomId: string, text: string): Promise<SentAnswer> {
    return must(201, await this.trySend(roomId, text));
  }

  ack(roomId: string, turn: unknown): Promise<RoomAnswer<{ turn_index: number }>> {
    return this.call('POST', `/v1/rooms/${roomId}/context/ack`, { body: { turn_index: turn } });
  }

  close(roomId: string, key = this.session): Promise<RoomAnswer<{ room_id: string; state: string }>> {
    return this.call('POST', `/v1/rooms/${roomId}/close`, { key });
  }

  tryToken(roomId: string): Promise<RoomAnswer<RoomTokenAnswer>> {
    return this.call('POST', `/v1/rooms/${roomId}/access-token`);
  }

  async token(roomId: string): Promise<RoomTokenAnswer> {
    return must(201, await this.tryToken(roomId));
  }

  tryHistory(roomId: string, query: Call['query'] = {}): Promise<RoomAnswer<RoomHistoryAnswer>> {
    return this.call('GET', `/v1/rooms/${roomId}/events/history`, { query });
  }

  async history(roomId: string, query: Call['query'] = {}): Promise<RoomHistoryAnswer> {
    return must(200, await this.tryHistory(roomId, query));
  }

  typing(roomId: string, body: object, key = this.session): Promise<RoomAnswer<Record<string, unknown>>> {
    return this.call('POST', `/v1/rooms/${roomId}/typing`, { body, key });
  }

  async actionable(): Promise<ActionableAnswer> {
    return must(200, await this.call<ActionableAnswer>('GET', '/v1/agent/actionable-rooms'));
  }

  acknowledge(deliveryId: unknown): Promise<RoomAnswer<{ delivery_id: string; status: string }>> {
    return this.call('POST', '/v1/agent/stream/ack', { body: { delivery_id: deliveryId } });
  }
}

export function must<Body>(status: number, answer: Answer<Body>): Body {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Speaks in turn until the room has that many messages. */
export async function talk(room: TestRoom, until: number): Promise<void> {
  for (let turn = (await room.a.state(room.id)).turn_index; turn < until; turn++) {
    await (turn % 2 === 0 ? room.a : room.b).send(room.id, `message ${turn}`);
  }
}
