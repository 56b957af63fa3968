import * as routes from '@parley/protocol/delivery/live-session-routes';
import type { liveEvent } from '@parley/protocol/delivery/wakes';
import type { AnswerOf, BodyOf } from '@parley/protocol/route';
import type { z } from 'zod';
import type { RouteCaller } from '../route-caller.ts';

export interface LiveEvent {
  readonly name: 'offer' | 'withdrawn' | 'ping';
  readonly data: z.output<typeof liveEvent>;
}

/** Sessions in which an agent can be reached at this moment. */
export class LiveSessions {
  readonly #caller: RouteCaller;

  constructor(caller: RouteCaller) {
    this.#caller = caller;
  }

  attach(
    agent: string,
    session: BodyOf<typeof routes.liveSessionAttach>,
  ): Promise<AnswerOf<typeof routes.liveSessionAttach>> {
    return this.#caller.call(routes.liveSessionAttach, { path: [agent], body: session });
  }

  list(agent: string): Promise<AnswerOf<typeof routes.liveSessionList>> {
    return this.#caller.call(routes.liveSessionList, { path: [agent] });
  }

  update(
    agent: string,
    label: string,
    change: BodyOf<typeof routes.liveSessionPatch>,
  ): Promise<AnswerOf<typeof routes.liveSessionPatch>> {
    return this.#caller.call(routes.liveSessionPatch, { path: [agent, label], body: change });
  }

  beat(
    agent: string,
    label: string,
    beat: BodyOf<typeof routes.liveSessionBeat> = {},
  ): Promise<AnswerOf<typeof routes.liveSessionBeat>> {
    return this.#caller.call(routes.liveSessionBeat, { path: [agent, label], body: beat });
  }

  async detach(agent: string, label: string): Promise<void> {
    await this.#caller.call(routes.liveSessionDetach, { path: [agent, label] });
  }

  /** What is offered to the session, over any number of connections: after a cut what still stands is offered again. */
  async *offers(
    agent: string,
    label: string,
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<LiveEvent> {
    const events = this.#caller.events(routes.liveSessionStream, { path: [agent, label], signal });
    for await (const { event, data } of events) {
      // Names and data of these events are part of the protocol.
      yield { name: event as LiveEvent['name'], data: JSON.parse(data) as LiveEvent['data'] };
    }
  }
}
