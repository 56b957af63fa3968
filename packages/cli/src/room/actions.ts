import { agentRead } from '@parley/protocol/delivery/agent-routes';
import * as routes from '@parley/protocol/rooms/routes';
import type {
  closed,
  connected,
  context as contextAnswer,
  listing,
  search,
  sent,
  state,
} from '@parley/protocol/rooms/answers';
import { whoAmI } from '@parley/protocol/identity/routes';
import type { z } from 'zod';
import { serverUrl } from '../agent/server-call.ts';
import { type Calls, tell, type Whoami, withCalls } from '../calling.ts';
import { type Column, showTable } from '../memory/table.ts';
import { moment } from '../memory/words.ts';
import { printJson, printTold } from '../output.ts';
import { spokenText } from '../message/send.ts';
import { theOne } from '../the-one.ts';
import type { ServerOptions } from '../with-server.ts';
import { rememberRoom, roomMeant } from './known-rooms.ts';

type Listing = z.infer<typeof listing>;
type Search = z.infer<typeof search>;
type Context = z.infer<typeof contextAnswer>;
export type RoomState = z.infer<typeof state>;

export interface OfferOptions extends ServerOptions {
  tag?: string[] | undefined;
  to?: string[] | undefined;
  turns?: number | undefined;
  ttl?: number | undefined;
}

export async function offer(topic: string, options: OfferOptions): Promise<void> {
  const { tag: tags, to, turns, ttl } = options;
  await withCalls(options, async (caller) => {
    const invited = to && (await Promise.all(to.map((each) => roomsId(caller, each))));
    const body = { topic, tags, allow_agents: invited, max_turns: turns, ttl_seconds: ttl };
    const made = await caller.call<Listing>(routes.listingsCreate, { body });
    await join(caller, made.room_id, options);
    tell([made], options, (page) => {
      page.line([{ text: made.room_id, style: 'bold' }, { text: `  ${made.topic}` }]);
      page.fact('Offer', { text: made.id }, 8);
      page.fact('State', { text: made.room_state }, 8);
      // To be copied: never broken.
      page.line([{ text: `  To watch  ${options.server}/watch/${made.room_id}#code=${made.human_code}` }]);
    });
  });
}

const COLUMNS: readonly Column[] = [
  { title: 'OFFER', rank: 0 },
  { title: 'MADE', rank: 3 },
  { title: 'TOPIC', rank: 1, least: 16 },
  { title: 'TAGS', rank: 2, least: 8 },
];

export async function find(
  words: readonly string[],
  options: ServerOptions & { limit?: number },
): Promise<void> {
  const query = { q: words.length === 0 ? undefined : words.join(' '), limit: options.limit };
  await withCalls(options, async (caller) => {
    const { items } = await caller.call<Search>(routes.listingsSearch, { query });
    tell(items, options, (page) => {
      if (items.length === 0) return page.aside('No offers.');
      showTable(
        page,
        COLUMNS,
        items.map(({ id, created_at: made, topic, tags }) => ({
          cells: [{ text: id }, moment(made), { text: topic }, { text: tags.join(' ') }],
        })),
      );
    });
  });
}

export async function take(said: string, options: ServerOptions): Promise<void> {
  await withCalls(options, async (caller) => {
    const { items } = await caller.call<Search>(routes.listingsSearch, { query: { limit: 100 } });
    // A private offer is in no list: its whole id is taken as it is.
    const id = items.some((item) => item.id.startsWith(said))
      ? theOne(said, { noun: 'offer', among: items, idOf: (item) => item.id }).id
      : said;
    const taken = await caller.call<z.infer<typeof connected>>(routes.listingConnect, {
      path: [id],
      body: {},
    });
    await join(caller, taken.room_id, options);
    tell([taken], options, (page) => {
      page.line([{ text: taken.room_id, style: 'bold' }, { text: `  ${taken.room_state}` }]);
      page.fact('Next', { text: taken.next_actor_id }, 8);
    });
  });
}

/** Coming in a second time is no fault. */
async function join(caller: Calls, room: string, { server }: ServerOptions): Promise<void> {
  rememberRoom(serverUrl(server), room);
  await caller.call(routes.roomJoin, { path: [room], body: {} });
}

export async function context(said: string, options: ServerOptions): Promise<void> {
  const id = roomMeant(said, serverUrl(options.server));
  await withCalls(options, async (caller) => {
    const told = await caller.call<Context>(routes.roomContext, { path: [id] });
    tell([told], options, (page) => {
      page.line([{ text: told.room_id, style: 'bold' }]);
      page.fact('Turn', { text: String(told.next_turn) }, 4);
      page.fact('Next', { text: told.next_actor_id }, 4);
      page.gap();
      page.text({ text: told.prompt_bundle_text });
    });
  });
}

export async function say(room: string, argument: string | undefined, options: ServerOptions): Promise<void> {
  const id = roomMeant(room, serverUrl(options.server));
  const text = await spokenText(argument, options);
  await withCalls(options, async (caller) => {
    const now = await caller.call<Context>(routes.roomContext, { path: [id] });
    if (now.context_ack_required) {
      await caller.call(routes.roomContextAck, { path: [id], body: { turn_index: now.turn_index } });
    }
    const body = { expected_turn: now.next_turn, ciphertext: text, bundle_hash: now.bundle_hash };
    const said = await caller.call<z.infer<typeof sent>>(routes.roomMessages, { path: [id], body });
    if (options.json) printJson(said);
    else printTold(`said ${said.message_id} as turn ${said.turn}; the room is ${said.room_state}`);
  });
}

export async function close(said: string, options: ServerOptions): Promise<void> {
  const id = roomMeant(said, serverUrl(options.server));
  await withCalls(options, async (caller) => {
    const ended = await caller.call<z.infer<typeof closed>>(routes.roomClose, { path: [id], body: {} });
    if (options.json) printJson(ended);
    else printTold(`${ended.room_id} is ${ended.state}`);
  });
}

/** Rooms know agents by id only; a slug is looked up. */
async function roomsId(caller: Calls, said: string): Promise<string> {
  const id = /^(?:agt|agent)_[a-z0-9]{12}$/.test(said)
    ? said
    : (await caller.call<{ id: string }>(agentRead, { path: [said] })).id;
  return id.replace(/^agent_/, 'agt_');
}

/** Our id as rooms spell it. */
export async function roomsAgent(caller: Calls): Promise<string> {
  return ((await caller.call<Whoami>(whoAmI)).agent?.id ?? '').replace(/^agent_/, 'agt_');
}
