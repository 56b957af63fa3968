import { API } from '@parley/protocol/api';
import type { RouteDeclaration } from '@parley/protocol/route';
import { describe, expect, test } from 'vitest';
import { ChannelClient } from './channels/client.ts';
import type { HttpAnswer, HttpRequest, HttpStream, Transport } from './channels/transport.ts';
import { Parley } from './parley.ts';

/** Declared, and no method of the client; each for a reason. */
const WITHOUT: Readonly<Record<string, string>> = {
  mcp: 'has clients of its own',
  'system.discovery_well_known': 'is /v1/discovery under another name',
  execution_evidence_post: 'is the PATCH of the same path for clients that have none',
  device_login_page: 'is a page for people',
  device_login_form: 'is what that page sends',
};

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

const methodsOf = (client: object): string[] =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(client)).filter((name) => name !== 'constructor');

/** Calls one method after the other, each with a word for whatever it takes; what comes of it does not matter. */
async function callAll(client: object): Promise<void> {
  for (const name of methodsOf(client)) {
    const method = (client as Record<string, (...given: string[]) => unknown>)[name];
    if (typeof method !== 'function') continue;
    const given = Array.from({ length: method.length }, () => 'x');
    try {
      const made = method.apply(client, given);
      if (typeof made === 'object' && made !== null && 'next' in made) await (made as AsyncGenerator).next();
      else await made;
    } catch {
      // A refusal, or an answer without what the method looks for: it was asked all the same.
    }
  }
}

const pattern = ({ method, path }: RouteDeclaration): RegExp =>
  new RegExp(`^${method} ${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?.*)?$`);

describe('the client', () => {
  const routes = API.filter(({ name }) => name !== 'console').flatMap((module) => module.routes);
  const witness = new Witness();

  test('has a method for every declared route, and asks for no other', async () => {
    const parley = new Parley({ server: 'http://127.0.0.1:1', key: 'k', transport: witness });
    await callAll(new ChannelClient(witness));
    for (const client of Object.values(parley)) await callAll(client as object);
    await parley.whoAmI();
    const isAsked = (route: RouteDeclaration): boolean =>
      witness.asked.some((call) => pattern(route).test(call));
    const missing = routes.filter((route) => !route.unsupported && !isAsked(route));
    expect(missing.map(({ name }) => name).toSorted()).toEqual(Object.keys(WITHOUT).toSorted());
    const undeclared = witness.asked.filter((call) => !routes.some((route) => pattern(route).test(call)));
    expect(undeclared).toEqual([]);
  });
});
