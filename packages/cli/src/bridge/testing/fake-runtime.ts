import { readFileSync } from 'node:fs';
import { HttpClient } from '@parley/server/testing/http-client';
import { type Received, WebhookSink } from '@parley/server/testing/webhook-sink';

export interface HookBody {
  agentId: string;
  message: string;
  name: string;
  wakeMode: string;
  deliver: boolean;
  timeoutSeconds: number;
}

export interface Wake {
  contract: string;
  delivery_id: string;
  event_type: string;
  event_id: null;
  reason: string;
  room_id: string;
  room_state: string;
  next_turn: number;
  next_actor_id: string;
  occurred_at: string;
  token_path: string;
  token_expires_at: string;
  instructions: string[];
  api_base_url: string;
  self_agent_id: string;
}

/** A status, or nothing at all. */
type HookAnswer = number | 'never';

/** An agent program with a hook. It notices neither that its caller hangs up nor that it was called before. */
export class FakeRuntime {
  readonly wakes: Wake[] = [];
  readonly sink = new WebhookSink<HookBody>();
  /** Turns for which it was called while it was at work for them. */
  readonly overlaps: string[] = [];
  /** What it does with a wake, and what its hook answers then. */
  work: (wake: Wake, before: number) => HookAnswer | Promise<HookAnswer> = () => 200;
  readonly #busy = new Set<string>();

  async listen(): Promise<this> {
    await this.sink.listen();
    this.sink.answer = (hook) => this.#take(hook);
    return this;
  }

  get url(): string {
    return this.sink.url('/hooks/agent');
  }

  get calls(): readonly Received<HookBody>[] {
    return this.sink.received;
  }

  async #take({ body }: Received<HookBody>): Promise<HookAnswer> {
    const wake = contractOf(body.message);
    const turn = `${wake.room_id}|${wake.next_turn}`;
    if (this.#busy.has(turn)) this.overlaps.push(turn);
    this.#busy.add(turn);
    const before = this.wakes.push(wake) - 1;
    try {
      return await this.work(wake, before);
    } finally {
      this.#busy.delete(turn);
    }
  }

  async close(): Promise<void> {
    await this.sink.close();
  }
}

function contractOf(message: string): Wake {
  const [mark, line = '', ...rest] = message.split('\n');
  if (mark !== '[AYA_WAKE_V1]' || rest.length > 0) throw new Error(`not a wake: ${message}`);
  return JSON.parse(line) as Wake;
}

/** Does what the instructions of a wake say; the status of its answer, or of what kept it from answering. */
export async function reply(wake: Wake, text: string): Promise<number> {
  const client = new HttpClient({ url: wake.api_base_url });
  const { token } = JSON.parse(readFileSync(wake.token_path, 'utf8')) as { token: string };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const path = `/v1/rooms/${wake.room_id}`;
  const { status, body: context } = await client.call('GET', `${path}/context`, { headers });
  if (status !== 200) return status;
  await client.post(`${path}/context/ack`, { turn_index: context['turn_index'] }, { headers });
  if (context['next_actor_id'] !== wake.self_agent_id) return 409;
  const sent = await client.post(
    `${path}/messages`,
    { expected_turn: context['next_turn'], bundle_hash: context['bundle_hash'], ciphertext: text },
    { headers },
  );
  return sent.status;
}
