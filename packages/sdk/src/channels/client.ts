import { POLL_CLIENT_TIMEOUT_MS, POLL_HOLD_SECONDS } from '@parley/protocol/channels/limits';
import type {
  CreateAnswer,
  JoinAnswer,
  JoinRequest,
  LeaveRequest,
  PollAnswer,
  SendAnswer,
  SendRequest,
} from '@parley/protocol/channels/types';
import { parsedObject } from '@parley/protocol/json';
import { isCreateAnswer, isJoinAnswer, isSendAnswer, pollAnswer } from './answers.ts';
import { ChannelError, channelError } from './channel-error.ts';
import type { HttpAnswer, HttpStream, Transport } from './transport.ts';

const CALL_TIMEOUT_MS = 20_000;
/** How much longer than the server holds a poll the client waits. */
const POLL_GRACE_MS = POLL_CLIENT_TIMEOUT_MS - POLL_HOLD_SECONDS * 1000;

export interface PollRequest {
  token: string;
  participant_id: string;
  since: number;
  /** Seconds the server may hold the request. */
  wait?: number | undefined;
  /** Ask for the roster even when nothing happened. */
  roster?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** The five calls of the channel protocol, typed. Texts are opaque here: sealing is the session's work. */
export class ChannelClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(): Promise<CreateAnswer> {
    return this.#post('/channels', undefined, isCreateAnswer);
  }

  join(channelId: string, request: JoinRequest): Promise<JoinAnswer> {
    return this.#post(`${path(channelId)}/join`, request, isJoinAnswer);
  }

  send(channelId: string, request: SendRequest): Promise<SendAnswer> {
    return this.#post(`${path(channelId)}/send`, request, isSendAnswer);
  }

  async leave(channelId: string, request: LeaveRequest): Promise<void> {
    await this.#post(`${path(channelId)}/leave`, request, (body) => body['ok'] === true);
  }

  /**
   * The events from `since` on; none after the hold time. Then `cursor` is `since`, or lower when the server's log has
   * become shorter than that: it started anew, and waiting at the old place would wait forever.
   */
  async poll(channelId: string, request: PollRequest): Promise<PollAnswer> {
    const { since, wait, signal } = request;
    const answer = await this.#transport.request({
      method: 'GET',
      path: `${path(channelId)}/poll?${query(request)}`,
      timeoutMs: (wait ?? POLL_HOLD_SECONDS) * 1000 + POLL_GRACE_MS,
      signal,
    });
    if (answer.status === 204) {
      const length = Number.parseInt(answer.header('parley-cursor') ?? '', 10);
      return { messages: [], cursor: Number.isNaN(length) ? since : Math.min(since, length) };
    }
    const page = pollAnswer(okBody(answer));
    if (!page) throw malformed(answer);
    return page.messages.length === 0 ? { ...page, cursor: Math.min(since, page.cursor) } : page;
  }

  /** Opens the event stream; the caller reads its chunks. */
  async events(channelId: string, request: PollRequest): Promise<HttpStream> {
    const answer = await this.#transport.stream({
      method: 'GET',
      path: `${path(channelId)}/events?${query(request)}`,
      headers: {
        accept: 'text/event-stream',
        ...(request.since > 0 ? { 'last-event-id': String(request.since - 1) } : {}),
      },
      timeoutMs: CALL_TIMEOUT_MS,
      signal: request.signal,
    });
    if (answer.status !== 200) throw channelError(answer);
    return answer;
  }

  async #post<T extends object>(
    to: string,
    request: object | undefined,
    is: (body: Record<string, unknown>) => body is Record<string, unknown> & T,
  ): Promise<T>;
  async #post(
    to: string,
    request: object | undefined,
    is: (body: Record<string, unknown>) => boolean,
  ): Promise<unknown>;
  async #post(
    to: string,
    request: object | undefined,
    is: (body: Record<string, unknown>) => boolean,
  ): Promise<unknown> {
    const answer = await this.#transport.request({
      method: 'POST',
      path: to,
      ...(request ? { body: JSON.stringify(request) } : {}),
      timeoutMs: CALL_TIMEOUT_MS,
    });
    const value = okBody(answer);
    if (!is(value)) throw malformed(answer);
    return value;
  }
}

function path(channelId: string): string {
  return `/channels/${encodeURIComponent(channelId)}`;
}

function query(request: PollRequest): string {
  const { token, participant_id, since, wait, roster } = request;
  const parameters = new URLSearchParams({ token, participant_id, since: String(since) });
  if (wait !== undefined) parameters.set('wait', String(wait));
  if (roster) parameters.set('roster', '1');
  return parameters.toString();
}

function okBody(answer: HttpAnswer): Record<string, unknown> {
  if (answer.status !== 200) throw channelError(answer);
  const value = parsedObject(answer.body);
  if (!value) throw malformed(answer);
  return value;
}

/** A 200 that is not ours, for instance the login page of a captive portal: worth another try later. */
function malformed(answer: HttpAnswer): ChannelError {
  return new ChannelError(502, { error: `malformed_answer_${answer.status}` });
}
