import { ChannelClient } from '../channels/client.ts';
import type { HttpAnswer, HttpRequest, HttpStream, Transport } from '../channels/transport.ts';
import { Parley } from '../parley.ts';

/** Answers everything, and keeps what it was asked. */
class Witness implements Transport {
  readonly asked: string[] = [];

  async request({ method, path }: HttpRequest): Promise<HttpAnswer> {
    this.asked.push(`${method} ${path}`);
    return { status: 200, header: () => undefined, body: '{"ok":true}' };
  }

  async stream({ method, path }: HttpRequest): Promise<HttpStream> {
    this.asked.push(`${method} ${path}`);
    return { status: 404, header: () => undefined, body: '{}', chunks: nothing() };
  }
}

async function* nothing(): AsyncGenerator<string> {}

/** `METHOD /path?query` of everything that the methods of the client ask for, each called once. */
export async function askedCalls(): Promise<readonly string[]> {
  const witness = new Witness();
  const parley = new Parley({ server: 'http://127.0.0.1:1', key: 'k', transport: witness });
  await callAll(new ChannelClient(witness));
  for (const client of Object.values(parley)) await callAll(client as object);
  await parley.whoAmI();
  return witness.asked;
}

/** One method after the other, each with a word for whatever it takes; what comes of it does not matter. */
async function callAll(client: object): Promise<void> {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(client));
  for (const name of names.filter((each) => each !== 'constructor')) {
    const method = (client as Record<string, (...given: string[]) => unknown>)[name];
    if (typeof method !== 'function') continue;
    try {
      const made = method.apply(
        client,
        Array.from({ length: method.length }, () => 'x'),
      );
      if (typeof made === 'object' && made !== null && 'next' in made) await (made as AsyncGenerator).next();
      else await made;
    } catch {
      // A refusal, or an answer without what the method looks for: it was asked all the same.
    }
  }
}
