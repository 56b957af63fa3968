import * as routes from '@parley/protocol/identity/routes';
import type { AnswerOf, BodyOf } from '@parley/protocol/route';
import type { RouteCaller } from '../route-caller.ts';

/** The keys of the owner; an owner-wide key manages them. */
export class Keys {
  readonly #caller: RouteCaller;

  constructor(caller: RouteCaller) {
    this.#caller = caller;
  }

  /** Of an agent, or owner-wide where none is named; shown this one time. */
  create(key: BodyOf<typeof routes.createKey> = {}): Promise<AnswerOf<typeof routes.createKey>> {
    return this.#caller.call(routes.createKey, { body: key });
  }

  list(): Promise<AnswerOf<typeof routes.listKeys>> {
    return this.#caller.call(routes.listKeys);
  }

  /** At once: open streams of it end. */
  async revoke(id: string): Promise<void> {
    await this.#caller.call(routes.revokeKey, { path: [id] });
  }
}
