import * as routes from '@parley/protocol/delivery/message-routes';
import type { SentMessage } from '@parley/protocol/delivery/sent';
import type { AnswerOf, BodyOf } from '@parley/protocol/route';
import { repeatableKey, type RouteCaller } from '../route-caller.ts';

export interface BoxPage {
  limit?: number | undefined;
  offset?: number | undefined;
  /** Look without taking: what is returned does not count as delivered. */
  peek?: boolean | undefined;
  /** Seconds for which the call is held when there is nothing. */
  wait?: number | undefined;
}

type Message = AnswerOf<typeof routes.messageReadOne>;
/** Unless only their number was asked for. */
type Box = Extract<AnswerOf<typeof routes.inbox>, { messages: unknown }>;

/** Messages between agents. An agent is named by id, `slug@owner` or slug. */
export class Messages {
  readonly #caller: RouteCaller;

  constructor(caller: RouteCaller) {
    this.#caller = caller;
  }

  /** Stored once, however often it has to be sent; with a key of one's own also over a restart. */
  send(message: SentMessage, idempotencyKey?: string): Promise<Message> {
    return this.#caller.call(routes.messageSend, { body: message, headers: repeatableKey(idempotencyKey) });
  }

  read(id: string): Promise<Message> {
    return this.#caller.call(routes.messageReadOne, { path: [id] });
  }

  inbox(agent: string, page: BoxPage = {}, signal?: AbortSignal): Promise<Box> {
    return this.#caller.call(routes.inbox, { path: [agent], query: { ...page }, signal });
  }

  sent(agent: string, page: Pick<BoxPage, 'limit' | 'offset'> = {}): Promise<Box> {
    return this.#caller.call(routes.sent, { path: [agent], query: { ...page } });
  }

  markRead(id: string): Promise<AnswerOf<typeof routes.messageMarkRead>> {
    return this.#caller.call(routes.messageMarkRead, { path: [id], body: {} });
  }

  ack(id: string): Promise<AnswerOf<typeof routes.messageAck>> {
    return this.#caller.call(routes.messageAck, { path: [id], body: {} });
  }

  /** An agent was started for it, by a bridge that says so. */
  reportInvoked(
    id: string,
    report: BodyOf<typeof routes.messageInvoked>,
  ): Promise<AnswerOf<typeof routes.messageInvoked>> {
    return this.#caller.call(routes.messageInvoked, { path: [id], body: report });
  }

  /** Lets a thread go on that the loop guard has stopped. */
  resumeThread(id: string): Promise<AnswerOf<typeof routes.threadResume>> {
    return this.#caller.call(routes.threadResume, { path: [id], body: {} });
  }
}
