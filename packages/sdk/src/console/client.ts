import {
  CONSOLE_AGENT_HEADER,
  CONSOLE_HEADER,
  CONSOLE_OWNER_HEADER,
  type ConsoleSession,
  type ConsoleSignIn,
  consoleSessionCreate,
  consoleSessionEnd,
  consoleSessionRead,
} from '@parley/protocol/console/session-routes';
import { isObject, parsedObject } from '@parley/protocol/json';
import type { RouteDeclaration } from '@parley/protocol/route';
import type { HttpAnswer, Transport } from '../channels/transport.ts';
import { DeliveryError, deliveryError } from '../delivery/delivery-error.ts';
import { type AnswerShape, RouteCaller, type RouteInput } from '../route-caller.ts';

/** Every protocol refuses in its own words; a person is told them in one way. */
function refusal(answer: HttpAnswer): DeliveryError {
  const body = parsedObject(answer.body) ?? {};
  const { detail, error, hint } = body;
  if (isObject(error)) return deliveryError(answer);
  const message = typeof detail === 'string' ? detail : typeof hint === 'string' ? hint : detailText(detail);
  const code = typeof error === 'string' ? error : `http_${answer.status}`;
  return new DeliveryError(answer.status, { error: { code, ...(message !== undefined && { message }) } });
}

/** The first fault of a list. */
function detailText(detail: unknown): string | undefined {
  const [first] = Array.isArray(detail) ? (detail as unknown[]) : [];
  return isObject(first) && typeof first['msg'] === 'string' ? first['msg'] : undefined;
}

const SHAPE: AnswerShape = {
  isOurs: () => true,
  refusal,
  notOurs: (message) => new DeliveryError(502, { error: { code: 'unexpected_answer', message } }),
};

/** Calls any declared route as the person who is signed in to the console: the browser's cookie stands in place of a key. */
export class ConsoleClient {
  readonly #caller: RouteCaller;

  constructor(server: string, transport?: Transport) {
    this.#caller = new RouteCaller({ server, transport, headers: { [CONSOLE_HEADER]: '1' } }, SHAPE);
  }

  /** `owner` is for whom an operator asks. */
  call<Answer>(route: RouteDeclaration, input: RouteInput = {}, owner?: string): Promise<Answer> {
    const headers = owner === undefined ? input.headers : { ...input.headers, [CONSOLE_OWNER_HEADER]: owner };
    return this.#caller.call<RouteDeclaration, Answer>(route, { ...input, ...(headers && { headers }) });
  }

  /** As an agent of the person's, or of the owner it belongs to where an operator asks: by its address. */
  callAs<Answer>(agent: string, route: RouteDeclaration, input: RouteInput = {}): Promise<Answer> {
    const headers = { ...input.headers, [CONSOLE_AGENT_HEADER]: agent };
    return this.call(route, { ...input, headers }, agent.slice(agent.lastIndexOf('@') + 1));
  }

  session(): Promise<ConsoleSession> {
    return this.call(consoleSessionRead);
  }

  signIn(proof: ConsoleSignIn): Promise<ConsoleSession> {
    return this.call(consoleSessionCreate, { body: proof });
  }

  signOut(): Promise<null> {
    return this.call(consoleSessionEnd);
  }
}
