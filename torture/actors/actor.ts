import type { Caller } from '../caller.ts';
import type { Tally } from '../tally.ts';

/** A client that writes, remembers what was acknowledged, and in the end looks for all of it. */
export interface Actor {
  setUp(): Promise<void>;
  /** Some writes, each acknowledged before the next is sent. */
  step(): Promise<void>;
  /** Tells the tally what is lost or doubled. The server runs, and nobody writes any more. */
  check(): Promise<void>;
}

export interface ActorPlace {
  readonly caller: Caller;
  readonly tally: Tally;
  /** As no other actor of this run is called. */
  readonly name: string;
  /** How often what is in no table was forgotten. */
  readonly forgotten: () => number;
}

export async function registerOwner({ caller, name }: ActorPlace): Promise<string> {
  // Repeated after a cut, the address would be taken: another one does as well.
  for (let attempt = 0; ; attempt++) {
    const answer = await caller.insist({
      method: 'POST',
      path: '/v1/auth/register',
      body: { email: `${name}.${attempt}@example.com` },
    });
    if (answer.status === 409) continue;
    return (JSON.parse(answer.body) as { api_key: string }).api_key;
  }
}

/** One that is there already was made by a request whose answer was lost. */
export async function createAgent({ caller, tally }: ActorPlace, key: string, slug: string): Promise<void> {
  const { status, body } = await caller.insist({ method: 'POST', path: '/v1/agents', body: { slug }, key });
  if (status !== 201 && status !== 409) tally.wrong.push(`the agent ${slug} was answered ${status}: ${body}`);
}
