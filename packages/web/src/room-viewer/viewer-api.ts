import { countOf, fieldsOf, textOf, timeOf } from '../shared/fields.ts';
import { openStream, postJson, RefusedCall } from '../shared/connection/request.ts';
import { readShownRoom, type ShownRoom } from './shown-room.ts';

export class RoomError extends RefusedCall {
  override readonly name = 'RoomError';
  readonly retryAfterSeconds: number;

  constructor(status: number, body: unknown) {
    super(status, body);
    this.retryAfterSeconds = countOf(fieldsOf(body)['retry_after_seconds']);
  }
}

const refused = (status: number, body: unknown) => new RoomError(status, body);
/** A 200 that is not ours: worth another try later. */
const malformed = () => new RoomError(502, { error: 'malformed_answer' });

/** The calls of a person who reads along. Secrets travel in bodies and headers, never in an address. */
export class ViewerApi {
  readonly #room: string;

  constructor(room: string) {
    this.#room = room;
  }

  /** Returns the viewer token. */
  async join(code: string): Promise<string> {
    const answer = await this.#viewers({ op: 'join', human_code: code });
    const token = textOf(answer['viewer_token']);
    if (token === '') throw malformed();
    return token;
  }

  /** Returns how many people read along. */
  async heartbeat(token: string): Promise<number> {
    const answer = await this.#viewers({ op: 'heartbeat', viewer_token: token });
    return countOf(answer['active_viewers']);
  }

  async leave(token: string): Promise<void> {
    await this.#viewers({ op: 'leave', viewer_token: token }, { keepalive: true });
  }

  async transcript(code: string): Promise<ShownRoom> {
    const body = { human_code: code, include: ['room'] };
    const shown = readShownRoom(await postJson(this.#path('transcript'), body, refused));
    if (shown === null) throw malformed();
    return shown;
  }

  /** Keeps a closed room whoever reads it; returns until when. */
  async keep(code: string): Promise<number> {
    const answer = await postJson(this.#path('keep'), { human_code: code }, refused);
    const until = timeOf(answer['purge_after']);
    if (until === 0) throw malformed();
    return until;
  }

  /** Opens the event stream after that event; null when what answers is not a stream. */
  async events(token: string, since: number, signal: AbortSignal): Promise<Response | null> {
    const path = `${this.#path('viewer-events')}?include=messages&since=${since}`;
    return await openStream(path, { authorization: `Bearer ${token}` }, refused, signal);
  }

  async #viewers(body: object, init: RequestInit = {}): Promise<Record<string, unknown>> {
    return await postJson(this.#path('viewers'), body, refused, init);
  }

  #path(action: string): string {
    return `/v1/rooms/${this.#room}/${action}`;
  }
}
