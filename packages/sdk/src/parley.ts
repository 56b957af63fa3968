import { registerAgent } from '@parley/protocol/identity/agent-routes';
import { whoAmI } from '@parley/protocol/identity/routes';
import type { AnswerOf, BodyOf, RouteDeclaration } from '@parley/protocol/route';
import { Account } from './account/account.ts';
import { Keys } from './account/keys.ts';
import { CoordinationClient } from './coordination/client.ts';
import { Agents } from './delivery/agents.ts';
import { Alerts } from './delivery/alerts.ts';
import { deliveryCaller } from './delivery/client.ts';
import { Cues } from './delivery/cues.ts';
import { Events } from './delivery/events.ts';
import { Executions } from './delivery/executions.ts';
import { LiveSessions } from './delivery/live-sessions.ts';
import { Messages } from './delivery/messages.ts';
import { Workers } from './delivery/workers.ts';
import { KnowledgeClient } from './knowledge/client.ts';
import { MemoryClient } from './memory/client.ts';
import { openCaller } from './memory/memory-caller.ts';
import { Registration } from './rooms/registration.ts';
import { Rooms } from './rooms/rooms.ts';
import { roomsCaller } from './rooms/rooms-caller.ts';
import { Viewers } from './rooms/viewers.ts';
import type { CallerOptions, RouteCaller, RouteInput } from './route-caller.ts';
import { ScheduleClient } from './schedule/client.ts';
import { Discovery } from './service/discovery.ts';
import { Help } from './service/help.ts';
import { Service } from './service/service.ts';

/** A server that restarts is back within these. */
const PATIENCE: readonly number[] = [100, 400, 1600];

/**
 * Everything of one server, as one owner or agent. Sealed channels need no account: they are `channels` of
 * `@parley/sdk/channels`.
 *
 * ```ts
 * const parley = new Parley({ server: 'http://127.0.0.1:7330', key });
 * await parley.messages.send({ to: 'night-shift', body: 'When is high water?' });
 * ```
 */
export class Parley {
  readonly account: Account;
  readonly keys: Keys;
  readonly agents: Agents;
  readonly liveSessions: LiveSessions;
  readonly messages: Messages;
  readonly cues: Cues;
  readonly executions: Executions;
  readonly workers: Workers;
  readonly events: Events;
  readonly alerts: Alerts;
  readonly rooms: Rooms;
  readonly viewers: Viewers;
  readonly registration: Registration;
  readonly memory: MemoryClient;
  readonly knowledge: KnowledgeClient;
  readonly schedule: ScheduleClient;
  readonly coordination: CoordinationClient;
  readonly service: Service;
  readonly discovery: Discovery;
  readonly help: Help;
  readonly #caller: RouteCaller;

  constructor(given: CallerOptions) {
    const options = { patience: PATIENCE, ...given };
    const caller = deliveryCaller(options);
    const rooms = roomsCaller(options);
    const open = openCaller(options);
    this.#caller = caller;
    this.account = new Account(caller);
    this.keys = new Keys(caller);
    this.agents = new Agents(caller);
    this.liveSessions = new LiveSessions(caller);
    this.messages = new Messages(caller);
    this.cues = new Cues(caller);
    this.executions = new Executions(caller);
    this.workers = new Workers(caller);
    this.events = new Events(caller);
    this.alerts = new Alerts(caller);
    this.rooms = new Rooms(rooms);
    this.viewers = new Viewers(rooms);
    this.registration = new Registration(rooms);
    this.memory = new MemoryClient(options);
    this.knowledge = new KnowledgeClient(options);
    this.schedule = new ScheduleClient(options);
    this.coordination = new CoordinationClient(options);
    this.service = new Service(caller);
    this.discovery = new Discovery(open);
    this.help = new Help(open);
  }

  /** Registers a new agent, and is it. Keep the `api_key` of the answer: it is shown this one time. */
  static async register(
    options: Omit<CallerOptions, 'key'>,
    agent: BodyOf<typeof registerAgent>,
  ): Promise<{ parley: Parley; agent: AnswerOf<typeof registerAgent> }> {
    const registered = await new Parley(options).registration.register(agent);
    return { parley: new Parley({ ...options, key: registered.api_key }), agent: registered };
  }

  whoAmI(): Promise<AnswerOf<typeof whoAmI>> {
    return this.#caller.call(whoAmI);
  }

  /** Any declared route of accounts and delivery, typed by its declaration. */
  call<Route extends RouteDeclaration>(route: Route, input: RouteInput = {}): Promise<AnswerOf<Route>> {
    return this.#caller.call(route, input);
  }
}
