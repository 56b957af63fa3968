import type { JsonObject } from '@parley/protocol/json';
import { readJsonObject, writePrivateJson } from './private-json.ts';
import type { WakeKey } from '../wake-job.ts';

export type StreamStatus = 'idle' | 'connected' | 'acked' | 'recovery' | 'disconnected';

interface State {
  readonly last_acknowledged_delivery_id: string;
  readonly last_connected_at: string | null;
  readonly last_stream_status: StreamStatus;
  /** Newest first. */
  readonly completed_wake_keys: readonly string[];
}

const KEPT_KEYS = 64;
const STATUSES: readonly unknown[] = ['idle', 'connected', 'acked', 'recovery', 'disconnected'];

/** What the bridge must know after a restart: how far it acknowledged, and which wakes were answered. */
export class StateFile {
  readonly #path: string;
  readonly #unknown: JsonObject;
  #state: State;

  constructor(path: string) {
    this.#path = path;
    this.#unknown = readJsonObject(path) ?? {};
    this.#state = stateIn(this.#unknown);
  }

  get cursor(): string {
    return this.#state.last_acknowledged_delivery_id;
  }

  get lastConnectedAt(): string | null {
    return this.#state.last_connected_at;
  }

  get status(): StreamStatus {
    return this.#state.last_stream_status;
  }

  isCompleted(key: WakeKey | undefined): boolean {
    return key !== undefined && this.#state.completed_wake_keys.includes(key);
  }

  connected(at: string): void {
    this.#save({ last_connected_at: at, last_stream_status: 'connected' });
  }

  is(status: StreamStatus): void {
    if (status !== this.status) this.#save({ last_stream_status: status });
  }

  acknowledged(delivery: string): void {
    this.#save({ last_acknowledged_delivery_id: delivery, last_stream_status: 'acked' });
  }

  clearCursor(): void {
    this.#save({ last_acknowledged_delivery_id: '' });
  }

  complete(key: WakeKey | undefined): void {
    if (key === undefined || this.isCompleted(key)) return;
    this.#save({ completed_wake_keys: [key, ...this.#state.completed_wake_keys].slice(0, KEPT_KEYS) });
  }

  /** The room is over: none of its turns comes again. */
  forgetRoom(room: string): void {
    const kept = this.#state.completed_wake_keys.filter((key) => !key.startsWith(`${room}|`));
    if (kept.length < this.#state.completed_wake_keys.length) this.#save({ completed_wake_keys: kept });
  }

  #save(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    writePrivateJson(this.#path, { ...this.#unknown, ...this.#state });
  }
}

function stateIn(stored: JsonObject): State {
  const { last_acknowledged_delivery_id: cursor, last_connected_at: connected } = stored;
  const { last_stream_status: status, completed_wake_keys: keys } = stored;
  return {
    last_acknowledged_delivery_id: typeof cursor === 'string' ? cursor : '',
    last_connected_at: typeof connected === 'string' ? connected : null,
    last_stream_status: STATUSES.includes(status) ? (status as StreamStatus) : 'idle',
    completed_wake_keys: Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [],
  };
}
