import { POLL_CLIENT_TIMEOUT_MS, POLL_HOLD_SECONDS } from '@parley/protocol/channels/limits';
import type { JoinAnswer, PollAnswer } from '@parley/protocol/channels/types';
import { isJoinAnswer, pollAnswer } from '@parley/sdk/channels/answers';
import { countOf, fieldsOf, textOf } from '../shared/fields.ts';
import { answerOf, openStream, postJson, RefusedCall, withDeadline } from '../shared/connection/request.ts';

/** How much longer than the server holds a poll the page waits. */
const POLL_GRACE_MS = POLL_CLIENT_TIMEOUT_MS - POLL_HOLD_SECONDS * 1_000;

export class ChannelError extends RefusedCall {
  override readonly name = 'ChannelError';
  readonly evictedReason: string;
  readonly hibernating: boolean;
  readonly retryAfterSeconds: number;

  constructor(status: number, body: unknown) {
    super(status, body);
    const fields = fieldsOf(body);
    this.evictedReason = textOf(fields['evicted_reason']);
    this.hibernating = fields['hibernating'] === true;
    this.retryAfterSeconds = countOf(fields['retry_after_sec']);
  }
}

/** The calls of the channel protocol as a page makes them: same origin, secrets in headers, a farewell that outlives it. */
export class ChannelApi {
  readonly #channel: string;
  readonly #token: string;

  constructor(channel: string, token: string) {
    this.#channel = channel;
    this.#token = token;
  }

  async join(name: string, keyFingerprint: string): Promise<JoinAnswer> {
    const body = await this.#post('join', { name, key_fp: keyFingerprint });
    if (!isJoinAnswer(body)) throw malformed();
    return body;
  }

  async send(participantId: string, text: string, clientId: string): Promise<void> {
    await this.#post('send', { participant_id: participantId, text, client_id: clientId });
  }

  async leave(participantId: string): Promise<void> {
    await this.#post('leave', { participant_id: participantId }, { keepalive: true });
  }

  /** One long poll; null when the hold time passed without an event. */
  async poll(
    participantId: string,
    since: number,
    waitSeconds: number,
    stop?: AbortSignal,
  ): Promise<PollAnswer | null> {
    const path = `${this.#path('poll')}?since=${since}&wait=${waitSeconds}&roster=1`;
    const limitMs = waitSeconds * 1_000 + POLL_GRACE_MS;
    return await withDeadline(limitMs, stop, async (signal) => {
      const response = await fetch(path, {
        headers: this.#headers(participantId),
        cache: 'no-store',
        signal,
      });
      if (response.status === 204) return null;
      const page = pollAnswer(await answerOf(response, refused));
      if (page === undefined) throw malformed();
      return page;
    });
  }

  /** Opens the event stream after the event with that index; null when what answers is not a stream. */
  async events(participantId: string, lastEventId: number, signal: AbortSignal): Promise<Response | null> {
    const headers = { ...this.#headers(participantId), 'last-event-id': String(lastEventId) };
    return await openStream(this.#path('events'), headers, refused, signal);
  }

  async #post(action: string, body: object, init: RequestInit = {}): Promise<Record<string, unknown>> {
    return await postJson(this.#path(action), { token: this.#token, ...body }, refused, init);
  }

  #path(action: string): string {
    // From `<base>/c/<channel>`: the public URL may have a path of its own.
    return `../channels/${this.#channel}/${action}`;
  }

  #headers(participantId: string): Record<string, string> {
    // Headers rather than the query: queries end up in the logs of proxies.
    return { authorization: `Bearer ${this.#token}`, 'x-participant-id': participantId };
  }
}

const refused = (status: number, body: unknown) => new ChannelError(status, body);

/** A 200 that is not ours, for instance the login page of a network: worth another try later. */
function malformed(): ChannelError {
  return new ChannelError(502, { error: 'malformed_answer' });
}
