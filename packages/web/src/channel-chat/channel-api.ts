import { countOf, fieldsOf, type Joined, type Page, readJoined, readPage, textOf } from './wire.ts';

/** The server answered, and the answer is no. Anything else that fails is the network. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError';
  readonly status: number;
  readonly code: string;
  readonly evictedReason: string;
  readonly hibernating: boolean;
  readonly retryAfterSeconds: number;

  constructor(status: number, body: unknown) {
    const fields = fieldsOf(body);
    const code = textOf(fields.error);
    super(code || `status ${status}`);
    this.status = status;
    this.code = code;
    this.evictedReason = textOf(fields.evicted_reason);
    this.hibernating = fields.hibernating === true;
    this.retryAfterSeconds = countOf(fields.retry_after_sec);
  }
}

export class ChannelApi {
  readonly #channel: string;
  readonly #token: string;

  constructor(channel: string, token: string) {
    this.#channel = channel;
    this.#token = token;
  }

  async join(name: string, keyFingerprint: string): Promise<Joined> {
    return readJoined(await this.#post('join', { name, key_fp: keyFingerprint }));
  }

  async send(participantId: string, text: string, clientId: string): Promise<void> {
    await this.#post('send', { participant_id: participantId, text, client_id: clientId });
  }

  async leave(participantId: string): Promise<void> {
    // keepalive lets the request outlive the page it was made in.
    await this.#post('leave', { participant_id: participantId }, { keepalive: true });
  }

  /** One long poll; null when the hold time passed without an event. */
  async poll(participantId: string, since: number, waitSeconds: number, signal?: AbortSignal): Promise<Page | null> {
    const path = `${this.#path('poll')}?since=${since}&wait=${waitSeconds}&roster=1`;
    const response = await fetch(path, { headers: this.#headers(participantId), cache: 'no-store', signal: signal ?? null });
    if (response.status === 204) return null;
    return readPage(await answerOf(response));
  }

  /** Opens the event stream after the event with that index. */
  async events(participantId: string, lastEventId: number, signal: AbortSignal): Promise<Response> {
    const headers = { ...this.#headers(participantId), accept: 'text/event-stream', 'last-event-id': String(lastEventId) };
    const response = await fetch(this.#path('events'), { headers, cache: 'no-store', signal });
    if (!response.ok) await answerOf(response);
    return response;
  }

  async #post(action: string, body: object, init: RequestInit = {}): Promise<unknown> {
    const response = await fetch(this.#path(action), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: this.#token, ...body }),
      cache: 'no-store',
      ...init,
    });
    return await answerOf(response);
  }

  #path(action: string): string {
    return `/channels/${this.#channel}/${action}`;
  }

  #headers(participantId: string): Record<string, string> {
    // Headers rather than the query: queries end up in the logs of proxies.
    return { authorization: `Bearer ${this.#token}`, 'x-participant-id': participantId };
  }
}

async function answerOf(response: Response): Promise<unknown> {
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw new ChannelError(response.status, body);
  return body;
}
