import type {
  ClaimableAnswer,
  ExecutionAnswer,
  ExecutionListAnswer,
  LiveClaimAnswer,
  MessageAnswer,
} from '@parley/protocol/delivery/types';
import { People } from '../../identity/testing/people.ts';
import { AgentClient, expectStatus, type Reply } from './agent-client.ts';

export interface BoxAnswer {
  messages: MessageAnswer[];
  total: number;
  limit: number;
  offset: number;
}

export interface ClaimAnswer {
  claimed: true;
  execution_id: string;
  lease_seconds: number;
  lease_expires_at: string;
  payload: Record<string, unknown>;
}

export interface OutcomeRecorded {
  execution_id: string;
  outcome_recorded: true;
  outcome_state: string;
  executed_via: string | null;
  delivery_route: string | null;
  reason: string | null;
}

let registered = 0;

type Headers = Record<string, string>;
type Query = Record<string, string | number>;

/** Sends, fetches, claims and reports as an owner does. */
export class MessageClient extends AgentClient {
  static override async register(
    server: { url: string },
    email = `sender${++registered}@example.com`,
  ): Promise<MessageClient> {
    const people = new People(server);
    return new MessageClient(people, await people.owner(email));
  }

  trySend(body: object, headers: Headers = {}): Promise<Reply<MessageAnswer>> {
    return this.call<MessageAnswer>('POST', '/v1/messages', { body, headers });
  }

  async send(to: string, more: object = {}, headers: Headers = {}): Promise<MessageAnswer> {
    return expectStatus(201, await this.trySend({ to, body: 'hello', ...more }, headers));
  }

  async message(id: string): Promise<MessageAnswer> {
    return expectStatus(200, await this.call<MessageAnswer>('GET', `/v1/messages/${id}`));
  }

  async execution(id: string): Promise<ExecutionAnswer> {
    return expectStatus(200, await this.call<ExecutionAnswer>('GET', `/v1/executions/${id}`));
  }

  async executions(query: Query = {}): Promise<ExecutionListAnswer> {
    return expectStatus(200, await this.call<ExecutionListAnswer>('GET', '/v1/executions', { query }));
  }

  async inbox(ref: string, query: Query = {}): Promise<BoxAnswer> {
    return expectStatus(200, await this.call<BoxAnswer>('GET', `/v1/agents/${ref}/inbox`, { query }));
  }

  async sent(ref: string, query: Query = {}): Promise<BoxAnswer> {
    return expectStatus(200, await this.call<BoxAnswer>('GET', `/v1/agents/${ref}/sent`, { query }));
  }

  mark(
    id: string,
    how: 'read' | 'ack',
  ): Promise<Reply<{ delivery_state: string; read_at: string; acked_at: string }>> {
    return this.call('POST', `/v1/messages/${id}/${how}`);
  }

  invoked(
    id: string,
    body?: unknown,
  ): Promise<Reply<{ proven_stage: string; invoked_at: string; invoked_by: string | null }>> {
    return this.call('POST', `/v1/messages/${id}/invoked`, { ...(body !== undefined && { body }) });
  }

  async claimable(query: Query = {}): Promise<ClaimableAnswer['executions']> {
    const answer = await this.call<ClaimableAnswer>('GET', '/v1/executions/claimable', { query });
    return expectStatus(200, answer).executions;
  }

  claim(executionId: string, worker = 'w1'): Promise<Reply<ClaimAnswer>> {
    return this.call<ClaimAnswer>('POST', `/v1/executions/${executionId}/claim`, {
      body: { worker_id: worker },
    });
  }

  liveClaim(executionId: string, body: object): Promise<Reply<LiveClaimAnswer>> {
    return this.call<LiveClaimAnswer>('POST', `/v1/executions/${executionId}/live-claim`, { body });
  }

  outcome(executionId: string, body: object): Promise<Reply<OutcomeRecorded>> {
    return this.call<OutcomeRecorded>('POST', `/v1/executions/${executionId}/outcome`, { body });
  }

  /** A worker beats for tasks, slugs or addresses. */
  async workerBeats(worker: string, handlers?: string[]): Promise<void> {
    expectStatus(
      200,
      await this.call('POST', '/v1/worker/heartbeat', { body: { worker_id: worker, handlers } }),
    );
  }
}
