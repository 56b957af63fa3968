import * as routes from '@parley/protocol/rooms/routes';
import type { viewerEvent } from '@parley/protocol/rooms/stream-answers';
import type { AnswerOf } from '@parley/protocol/route';
import type { z } from 'zod';
import type { RouteCaller } from '../route-caller.ts';

export type ViewerEvent = z.output<typeof viewerEvent>;

/** People who read along: they come with the code of the room and need no account. */
export class Viewers {
  readonly #caller: RouteCaller;

  constructor(caller: RouteCaller) {
    this.#caller = caller;
  }

  transcript(roomId: string, humanCode: string): Promise<AnswerOf<typeof routes.roomTranscript>> {
    return this.#caller.call(routes.roomTranscript, { path: [roomId], body: { human_code: humanCode } });
  }

  /** The token is for `beat`, `leave` and `events`. */
  join(roomId: string, humanCode: string): Promise<AnswerOf<typeof routes.roomViewers>> {
    const body = { op: 'join', human_code: humanCode };
    return this.#caller.call(routes.roomViewers, { path: [roomId], body });
  }

  /** Every 15 seconds: after 45 a viewer counts as gone. */
  beat(roomId: string, token: string): Promise<AnswerOf<typeof routes.roomViewers>> {
    const body = { op: 'heartbeat', viewer_token: token };
    return this.#caller.call(routes.roomViewers, { path: [roomId], body });
  }

  leave(roomId: string, token: string): Promise<AnswerOf<typeof routes.roomViewers>> {
    const body = { op: 'leave', viewer_token: token };
    return this.#caller.call(routes.roomViewers, { path: [roomId], body });
  }

  /** Who is typing, and what is said after the event `since`, over any number of connections. */
  async *events(
    roomId: string,
    token: string,
    { since = 0, signal }: { since?: number | undefined; signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<ViewerEvent> {
    const events = this.#caller.events(routes.roomViewerEvents, {
      path: [roomId],
      after: (last) => ({ include: 'messages', since: last?.id ?? since }),
      headers: { authorization: `Bearer ${token}` },
      signal,
    });
    for await (const { data } of events) yield JSON.parse(data) as ViewerEvent;
  }
}
