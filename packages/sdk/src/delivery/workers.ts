import * as routes from '@parley/protocol/delivery/execution-routes';
import type { AnswerOf, BodyOf } from '@parley/protocol/route';
import type { RouteCaller } from '../route-caller.ts';

/** Programs that do what cues and messages start. */
export class Workers {
  readonly #caller: RouteCaller;

  constructor(caller: RouteCaller) {
    this.#caller = caller;
  }

  beat(beat: BodyOf<typeof routes.workerBeat>): Promise<AnswerOf<typeof routes.workerBeat>> {
    return this.#caller.call(routes.workerBeat, { body: beat });
  }

  list(): Promise<AnswerOf<typeof routes.workerList>> {
    return this.#caller.call(routes.workerList);
  }

  async forget(workerId: string): Promise<void> {
    await this.#caller.call(routes.workerForget, { path: [workerId] });
  }
}
