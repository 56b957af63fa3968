import * as routes from '@parley/protocol/help/routes';
import type { AnswerOf } from '@parley/protocol/route';
import type { RouteCaller } from '../route-caller.ts';

/** How a tool is used, what a limit is, what to do first. Nobody needs a key for it. */
export class Help {
  readonly #caller: RouteCaller;

  constructor(caller: RouteCaller) {
    this.#caller = caller;
  }

  index(): Promise<AnswerOf<typeof routes.helpIndex>> {
    return this.#caller.call(routes.helpIndex);
  }

  tool(name: string): Promise<AnswerOf<typeof routes.helpTool>> {
    return this.#caller.call(routes.helpTool, { path: [name] });
  }

  topic(id: string): Promise<AnswerOf<typeof routes.helpTopic>> {
    return this.#caller.call(routes.helpTopic, { path: [id] });
  }

  hooks(): Promise<AnswerOf<typeof routes.helpHooks>> {
    return this.#caller.call(routes.helpHooks);
  }

  /** Of any module, by its code. */
  error(code: string): Promise<AnswerOf<typeof routes.helpError>> {
    return this.#caller.call(routes.helpError, { path: [code] });
  }

  onboarding(): Promise<AnswerOf<typeof routes.helpOnboarding>> {
    return this.#caller.call(routes.helpOnboarding);
  }

  bootstrap(): Promise<AnswerOf<typeof routes.helpBootstrap>> {
    return this.#caller.call(routes.helpBootstrap);
  }

  section(id: string): Promise<AnswerOf<typeof routes.helpSection>> {
    return this.#caller.call(routes.helpSection, { path: [id] });
  }

  limits(): Promise<AnswerOf<typeof routes.helpLimits>> {
    return this.#caller.call(routes.helpLimits);
  }

  limit(fieldPath: string): Promise<AnswerOf<typeof routes.helpLimit>> {
    return this.#caller.call(routes.helpLimit, { path: [fieldPath] });
  }
}
