import type { Bus } from '../bus/bus.ts';
import type { StreamHub } from './hub.ts';
import type { StreamEvent } from './stream-event.ts';

/** Lets the hubs of several nodes hear of each other's commits. The store stays the only place events are read from. */
export class StreamBusBridge {
  readonly #bus: Bus;
  readonly #leave: () => void;

  constructor(hub: StreamHub<StreamEvent>, bus: Bus) {
    this.#bus = bus;
    this.#leave = bus.subscribe(SUBJECT, (hint) => {
      const [, seq, topic] = /^(\d+) (.+)$/s.exec(hint) ?? [];
      if (seq !== undefined && topic !== undefined) hub.hint(topic, Number(seq));
    });
  }

  /** Our own hub hears it too and finds that it has seen the event already. */
  announce(topic: string, seq: number): void {
    this.#bus.publish(SUBJECT, `${seq} ${topic}`);
  }

  close(): void {
    this.#leave();
  }
}

const SUBJECT = 'streams';
