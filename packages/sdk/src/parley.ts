import { readUsage, whoAmI } from '@parley/protocol/identity/routes';
import type { AnswerOf, RouteDeclaration } from '@parley/protocol/route';
import { CoordinationClient } from './coordination/client.ts';
import { Agents } from './delivery/agents.ts';
import { Alerts } from './delivery/alerts.ts';
import { deliveryCaller } from './delivery/client.ts';
import { Cues } from './delivery/cues.ts';
import { Events } from './delivery/events.ts';
import { Executions } from './delivery/executions.ts';
import { Messages } from './delivery/messages.ts';
import { KnowledgeClient } from './knowledge/client.ts';
import { MemoryClient } from './memory/client.ts';
import { Rooms } from './rooms/rooms.ts';
import type { CallerOptions, RouteCaller, RouteInput } from './route-caller.ts';
import { ScheduleClient } from './schedule/client.ts';

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
  readonly agents: Agents;
  readonly messages: Messages;
  readonly cues: Cues;
  readonly executions: Executions;
  readonly events: Events;
  readonly alerts: Alerts;
  readonly rooms: Rooms;
  readonly memory: MemoryClient;
  readonly knowledge: KnowledgeClient;
  readonly schedule: ScheduleClient;
  readonly coordination: CoordinationClient;
  readonly #caller: RouteCaller;

  constructor(options: CallerOptions) {
    const caller = deliveryCaller(options);
    this.#caller = caller;
    this.agents = new Agents(caller);
    this.messages = new Messages(caller);
    this.cues = new Cues(caller);
    this.executions = new Executions(caller);
    this.events = new Events(caller);
    this.alerts = new Alerts(caller);
    this.rooms = new Rooms(options);
    this.memory = new MemoryClient(options);
    this.knowledge = new KnowledgeClient(options);
    this.schedule = new ScheduleClient(options);
    this.coordination = new CoordinationClient(options);
  }

  whoAmI(): Promise<AnswerOf<typeof whoAmI>> {
    return this.#caller.call(whoAmI);
  }

  /** What the owner has used this month, and may use. */
  usage(): Promise<AnswerOf<typeof readUsage>> {
    return this.#caller.call(readUsage);
  }

  /** Any other declared route of accounts and delivery, typed by its declaration. */
  call<Route extends RouteDeclaration>(route: Route, input: RouteInput = {}): Promise<AnswerOf<Route>> {
    return this.#caller.call(route, input);
  }
}
