import { DELIVERY_BATCH } from '@parley/protocol/rooms/limits';
import { StreamBusBridge } from '../../platform/streams/bus-bridge.ts';
import { StreamHub } from '../../platform/streams/hub.ts';
import type { StreamSource } from '../../platform/streams/stream-event.ts';
import type { Deliveries, Delivery } from '../turn-wakes/deliveries.ts';
import type { TopicsOptions } from './room-topics.ts';

interface Topic {
  readonly hub: StreamHub<Delivery>;
  readonly topic: string;
  readonly source: StreamSource<Delivery>;
}

/**
 * A topic for each agent. The store shows only what is still pending, so sequences have holes where something was
 * acknowledged or superseded; a stream that meets one reads on from its own position and finds that nothing is missing.
 */
export class AgentTopics {
  readonly #hub: StreamHub<Delivery>;
  readonly #deliveries: Deliveries;
  readonly #leave: (() => void)[];

  constructor({ rooms, wheel, bus, onError }: TopicsOptions) {
    this.#deliveries = rooms.deliveries;
    this.#hub = new StreamHub({ wheel, pageSize: DELIVERY_BATCH, onError });
    const bridge = new StreamBusBridge(this.#hub, bus);
    const stop = rooms.announced.deliveries.add((delivery) => {
      this.#hub.publish(topicOf(delivery.agent), delivery);
      bridge.announce(topicOf(delivery.agent), delivery.seq);
    });
    this.#leave = [stop, () => bridge.close()];
  }

  of(agent: string): Topic {
    return {
      hub: this.#hub,
      topic: topicOf(agent),
      source: { read: (after, limit) => this.#deliveries.pending(agent, after, limit) },
    };
  }

  close(): void {
    for (const leave of this.#leave) leave();
    this.#hub.close();
  }
}

function topicOf(agent: string): string {
  return `agent:${agent}`;
}
