import type { Bus } from '../../platform/bus/bus.ts';
import { StreamBusBridge } from '../../platform/streams/bus-bridge.ts';
import { StreamHub } from '../../platform/streams/hub.ts';
import type { StreamSource } from '../../platform/streams/stream-event.ts';
import type { TimerWheel } from '../../platform/timer-wheel.ts';
import type { RoomEvent } from '../room/events.ts';
import type { RoomsService } from '../service.ts';

export interface TopicsOptions {
  readonly rooms: Pick<RoomsService, 'announced' | 'events' | 'deliveries'>;
  readonly wheel: TimerWheel;
  readonly bus: Bus;
  readonly onError: (error: unknown) => void;
}

interface Topic {
  readonly hub: StreamHub<RoomEvent>;
  readonly topic: string;
  readonly source: StreamSource<RoomEvent>;
}

/** A topic for each room, shared by the agents and the people that listen to it. */
export class RoomTopics {
  readonly #hub: StreamHub<RoomEvent>;
  readonly #events: RoomsService['events'];
  readonly #leave: (() => void)[];

  constructor({ rooms, wheel, bus, onError }: TopicsOptions) {
    this.#events = rooms.events;
    this.#hub = new StreamHub({ wheel, onError });
    const bridge = new StreamBusBridge(this.#hub, bus);
    const stop = rooms.announced.events.add((event) => {
      this.#hub.publish(topicOf(event.roomId), event);
      bridge.announce(topicOf(event.roomId), event.seq);
    });
    this.#leave = [stop, () => bridge.close()];
  }

  of(roomId: string): Topic {
    return {
      hub: this.#hub,
      topic: topicOf(roomId),
      source: { read: (after, limit) => this.#events.read(roomId, after, limit) },
    };
  }

  close(): void {
    for (const leave of this.#leave) leave();
    this.#hub.close();
  }
}

function topicOf(roomId: string): string {
  return `room:${roomId}`;
}
