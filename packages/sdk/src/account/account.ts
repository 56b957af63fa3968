import * as login from '@parley/protocol/identity/device-login-routes';
import * as routes from '@parley/protocol/identity/routes';
import type { AnswerOf, BodyOf } from '@parley/protocol/route';
import { meant, type RouteCaller } from '../route-caller.ts';

/** The owner's account, its secrets, and how a program comes by a key. */
export class Account {
  readonly #caller: RouteCaller;

  constructor(caller: RouteCaller) {
    this.#caller = caller;
  }

  /** A new owner; the key is shown this one time. */
  register(owner: BodyOf<typeof routes.registerOwner>): Promise<AnswerOf<typeof routes.registerOwner>> {
    return this.#caller.call(routes.registerOwner, { body: owner });
  }

  read(): Promise<AnswerOf<typeof routes.readAccount>> {
    return this.#caller.call(routes.readAccount);
  }

  update(change: BodyOf<typeof routes.patchAccount>): Promise<AnswerOf<typeof routes.patchAccount>> {
    return this.#caller.call(routes.patchAccount, { body: change });
  }

  /** What the owner has used this month, and may use. */
  usage(): Promise<AnswerOf<typeof routes.readUsage>> {
    return this.#caller.call(routes.readUsage);
  }

  /** The key that asks is replaced by the one in the answer. */
  regenerateKey(): Promise<AnswerOf<typeof routes.regenerateKey>> {
    return this.#caller.call(routes.regenerateKey, { headers: meant });
  }

  webhookSecret(): Promise<AnswerOf<typeof routes.readWebhookSecret>> {
    return this.#caller.call(routes.readWebhookSecret);
  }

  regenerateWebhookSecret(
    overlap: BodyOf<typeof routes.rotateWebhookSecret> = {},
  ): Promise<AnswerOf<typeof routes.rotateWebhookSecret>> {
    return this.#caller.call(routes.rotateWebhookSecret, { body: overlap, headers: meant });
  }

  alertSecret(): Promise<AnswerOf<typeof routes.readAlertSecret>> {
    return this.#caller.call(routes.readAlertSecret);
  }

  regenerateAlertSecret(
    overlap: BodyOf<typeof routes.rotateAlertSecret> = {},
  ): Promise<AnswerOf<typeof routes.rotateAlertSecret>> {
    return this.#caller.call(routes.rotateAlertSecret, { body: overlap, headers: meant });
  }

  /** A person logs a program in: it shows the code, the person approves it, and `pollLogin` gets the key. */
  beginLogin(code: string): Promise<AnswerOf<typeof login.deviceCodeCreate>> {
    return this.#caller.call(login.deviceCodeCreate, { body: { device_code: code } });
  }

  pollLogin(code: string): Promise<AnswerOf<typeof login.deviceCodePoll>> {
    return this.#caller.call(login.deviceCodePoll, { body: { device_code: code } });
  }

  submitLoginEmail(
    request: BodyOf<typeof login.deviceCodeSubmitEmail>,
  ): Promise<AnswerOf<typeof login.deviceCodeSubmitEmail>> {
    return this.#caller.call(login.deviceCodeSubmitEmail, { body: request });
  }

  /** With the token of the link that the person was sent. */
  openLoginSession(request: BodyOf<typeof login.sessionOpen>): Promise<AnswerOf<typeof login.sessionOpen>> {
    return this.#caller.call(login.sessionOpen, { body: request });
  }

  keyOfLoginSession(session: string): Promise<AnswerOf<typeof login.sessionKey>> {
    return this.#caller.call(login.sessionKey, { headers: { authorization: `Bearer ${session}` } });
  }
}
