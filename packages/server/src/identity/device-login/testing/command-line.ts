import type { TestServer } from '../../../testing/start-server.ts';
import { type DeliveryErrorAnswer, People } from '../../testing/people.ts';
import type { LoginLink } from '../../service.ts';

interface Polled {
  status: string;
  api_key: string;
  email: string;
  session_token: string;
  existing_user: boolean;
}

/** A program that logs in with a code of its own, and sees the links that the operator is shown. */
export class CommandLine {
  readonly links: LoginLink[] = [];
  readonly people: People;
  readonly code: string;
  readonly server: TestServer;

  constructor(server: TestServer, code: string) {
    this.server = server;
    this.people = new People(server);
    this.code = code;
    server.context.identity.hooks.loginLink.push((link) => this.links.push(link));
  }

  post<Body = Record<string, string>>(path: string, body: object, headers: Record<string, string> = {}) {
    return this.people.call<Body & DeliveryErrorAnswer>('POST', `/v1/auth/${path}`, { body, headers });
  }

  begin = () => this.post('device-code', { device_code: this.code });
  poll = () => this.post<Polled>('device-code/poll', { device_code: this.code });
  submit = (email: string, headers: Record<string, string> = {}) =>
    this.post('device-code/submit-email', { device_code: this.code, email }, headers);

  /** What the newest link to this code carries. */
  get token(): string {
    const mine = this.links.filter(({ url }) => new URL(url).searchParams.get('device_code') === this.code);
    return new URL(mine.at(-1)?.url ?? 'http://none').searchParams.get('token') ?? '';
  }

  open = (token = this.token, more: object = {}) => this.post('session', { token, ...more });
  key = (session: string) =>
    this.people.call<{ api_key: string } & DeliveryErrorAnswer>('GET', '/v1/auth/key', { key: session });
  me = (key: string) => this.people.call<{ email: string }>('GET', '/v1/auth/me', { key });
}
