import type { JsonObject } from '@parley/protocol/json';
import { type Clock, sleep } from '@parley/sdk/channels/clock';
import type { Transport } from '@parley/sdk/channels/transport';
import { loginNeeded } from './failures.ts';
import { callServer, Refusal, type ServerRequest } from './server-call.ts';
import { type AgentSession, readSession, writeSession } from './kept/session-file.ts';

const BETWEEN_LOGINS_MS = 1_000;

/** Logs in with a key. A key that is refused will be refused again, so that is an end, not a trouble. */
export async function logIn(
  transport: Transport,
  key: string,
): Promise<Pick<AgentSession, 'session_token' | 'agent_id'>> {
  try {
    const body = { api_key: key };
    const answer = await callServer(transport, { method: 'POST', path: '/v1/agent/login', body });
    const { session_token: token, agent_id: agent } = answer;
    if (typeof token !== 'string' || token === '') throw new Error('the server gave no session token');
    return { session_token: token, agent_id: typeof agent === 'string' ? agent : '' };
  } catch (error) {
    const refused = error instanceof Refusal && [400, 401, 403].includes(error.status);
    if (!refused) throw error;
    throw loginNeeded('the server refused the API key');
  }
}

/** The agent's session: calls are made with it, and it is opened again when the server no longer knows it. */
export class Session {
  readonly #file: string;
  readonly #transport: Transport;
  readonly #clock: Clock;
  #stored: AgentSession;
  #opening: Promise<void> | undefined;
  #openedAt = Number.NEGATIVE_INFINITY;

  constructor(file: string, transport: Transport, clock: Clock) {
    const stored = readSession(file);
    if (!stored) throw loginNeeded('nobody is logged in');
    this.#stored = stored;
    this.#file = file;
    this.#transport = transport;
    this.#clock = clock;
  }

  get agentId(): string {
    return this.#stored.agent_id;
  }

  get token(): string {
    return this.#stored.session_token;
  }

  /** The agent's id as the stream tells it. */
  isAgent(id: string): void {
    if (id !== this.agentId) this.#save({ agent_id: id });
  }

  async ensure(): Promise<void> {
    if (this.token === '') await this.renew('');
  }

  /** In place of one that was refused. Whoever finds it refused at the same time gets the same new one. */
  async renew(refused: string): Promise<void> {
    if (refused !== this.token) return;
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    await this.#opening;
  }

  /** Makes a call, and once more with a new session when this one is refused. */
  async call(request: Omit<ServerRequest, 'token'>): Promise<JsonObject> {
    return await this.using((token) => callServer(this.#transport, { ...request, token }));
  }

  async using<T>(act: (token: string) => Promise<T>): Promise<T> {
    await this.ensure();
    const { token } = this;
    try {
      return await act(token);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 401) throw error;
      await this.renew(token);
      return await act(this.token);
    }
  }

  async #open(): Promise<void> {
    const wait = this.#openedAt + BETWEEN_LOGINS_MS - this.#clock.now();
    if (wait > 0) await sleep(this.#clock, wait);
    this.#openedAt = this.#clock.now();
    const { session_token, agent_id } = await logIn(this.#transport, this.#stored.api_key);
    this.#save({ session_token, agent_id: agent_id || this.agentId });
  }

  #save(change: Partial<AgentSession>): void {
    this.#stored = { ...this.#stored, ...change, updated_at: new Date(this.#clock.now()).toISOString() };
    writeSession(this.#file, this.#stored);
  }
}
