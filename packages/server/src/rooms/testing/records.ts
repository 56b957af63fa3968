import type { TypingFrame } from '@parley/protocol/rooms/types';
import type { TestServer } from '../../testing/start-server.ts';
import type { TurnWake, RoomEvent } from '../service.ts';
import { step, type Timed } from './pass-time.ts';

/** Everything a running server announces, in order, whichever of its nodes does. */
export class Records {
  readonly events: RoomEvent[] = [];
  readonly deliveries: TurnWake[] = [];
  readonly typing: TypingFrame[] = [];

  constructor(server?: Pick<TestServer, 'context' | 'nodes'>) {
    if (server) this.follow(server);
  }

  /** An event is announced by the node that caused it, typing by every node. */
  follow({ context, nodes }: Pick<TestServer, 'context' | 'nodes'>): void {
    for (const { announced } of nodes.map((node) => node.context.rooms.service)) {
      announced.events.add((event) => this.events.push(event));
      announced.deliveries.add((delivery) => this.deliveries.push(delivery));
    }
    context.rooms.service.announced.typing.add((frame) => this.typing.push(frame));
  }

  eventsOf(roomId: string): string[] {
    return this.events.filter((event) => event.roomId === roomId).map(({ type }) => type);
  }

  deliveriesTo({ suffix }: { suffix: string }, roomId?: string): TurnWake[] {
    return this.deliveries.filter(
      ({ agent, roomId: room }) => agent === suffix && (roomId === undefined || room === roomId),
    );
  }

  typingIn(roomId: string): string[] {
    return this.typing.filter(({ room_id: room }) => room === roomId).map(({ state }) => state);
  }
}

/** Lets time pass in steps, each with the real time that the database takes for it. */
export async function pass(timed: Timed, ms: number, stepMs = 2500): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) await step(timed, stepMs);
}
