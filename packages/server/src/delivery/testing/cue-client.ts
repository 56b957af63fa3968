import type {
  CueAnswer,
  CueFired,
  CueListAnswer,
  CueWithExecutions,
  ExecutionAnswer,
} from '@parley/protocol/delivery/types';
import { People } from '../../identity/testing/people.ts';
import { expectStatus, type Reply } from './agent-client.ts';
import { MessageClient } from './message-client.ts';

let registered = 0;
let named = 0;

type Query = Record<string, string | number>;

/** Makes cues and fires them as an owner does. */
export class CueClient extends MessageClient {
  static override async register(
    server: { url: string },
    email = `cue-owner${++registered}@example.com`,
  ): Promise<CueClient> {
    const people = new People(server);
    return new CueClient(people, await people.owner(email));
  }

  tryCue(body: object): Promise<Reply<CueAnswer>> {
    return this.call<CueAnswer>('POST', '/v1/cues', { body });
  }

  /** Every minute, fetched by a worker, unless told otherwise. */
  async cue(body: object = {}): Promise<CueAnswer> {
    const usual = {
      name: `cue ${++named}`,
      schedule: { type: 'recurring', cron: '* * * * *' },
      transport: 'worker',
    };
    return expectStatus(201, await this.tryCue({ ...usual, ...body }));
  }

  async readCue(id: string, query: Query = {}): Promise<CueWithExecutions> {
    return expectStatus(200, await this.call<CueWithExecutions>('GET', `/v1/cues/${id}`, { query }));
  }

  async cues(query: Query = {}): Promise<CueListAnswer> {
    return expectStatus(200, await this.call<CueListAnswer>('GET', '/v1/cues', { query }));
  }

  patchCue(id: string, body: object): Promise<Reply<CueAnswer>> {
    return this.call<CueAnswer>('PATCH', `/v1/cues/${id}`, { body });
  }

  tryFire(id: string, body: object = {}): Promise<Reply<CueFired>> {
    return this.call<CueFired>('POST', `/v1/cues/${id}/fire`, { body });
  }

  async fire(id: string, body: object = {}): Promise<CueFired> {
    return expectStatus(200, await this.tryFire(id, body));
  }

  /** All of them, the oldest first. */
  async runs(id: string): Promise<ExecutionAnswer[]> {
    const { executions } = await this.readCue(id, { execution_limit: 100 });
    return executions.toSorted((a, b) => (a.scheduled_for < b.scheduled_for ? -1 : 1));
  }
}
