import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  isJsonObject,
  jsonFilesIn,
  type JsonObject,
  readJsonObject,
  removeFile,
  writePrivateJson,
} from '../bridge/private-json.ts';
import type { WakeItem } from './wake-item.ts';

/** How a wake ended; the last ones are kept, so that none starts the agent twice and people can see what happened. */
export interface EndedWake {
  readonly id: string;
  readonly type: WakeItem['type'];
  readonly from: string;
  readonly delivered_at: string;
  readonly invoked_at: string | null;
  readonly ended_at: string;
  readonly outcome: string;
}

interface Kept {
  readonly cursor: string;
  readonly starts: readonly string[];
  readonly ended: readonly EndedWake[];
}

const KEPT_WAKES = 500;
const KEPT_STARTS = 1_000;

/** What the daemon knows of one agent: the wakes that wait, a file each, and what became of the last ones. */
export class AgentFiles {
  readonly folder: string;
  readonly #queue: string;
  #kept: Kept;

  constructor(home: string, name: string) {
    this.folder = join(home, name);
    this.#queue = join(this.folder, 'queue');
    for (const folder of [this.folder, this.#queue]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#kept = keptIn(readJsonObject(this.#statePath) ?? {});
  }

  get session(): string {
    return join(this.folder, 'session.json');
  }

  get cursor(): string {
    return this.#kept.cursor;
  }

  get starts(): readonly string[] {
    return this.#kept.starts;
  }

  /** Newest first. */
  get ended(): readonly EndedWake[] {
    return this.#kept.ended;
  }

  items(): WakeItem[] {
    return jsonFilesIn(this.#queue)
      .flatMap((name) => (readJsonObject(join(this.#queue, name)) as WakeItem | undefined) ?? [])
      .toSorted((one, other) => (one.delivered_at < other.delivered_at ? -1 : 1));
  }

  knows({ id }: WakeItem): boolean {
    return existsSync(this.#path(id)) || this.ended.some((wake) => wake.id === id);
  }

  put(item: WakeItem): void {
    writePrivateJson(this.#path(item.id), item);
  }

  drop({ id }: WakeItem): void {
    removeFile(this.#path(id));
  }

  acknowledged(cursor: string): void {
    this.#save({ cursor });
  }

  started(at: string): void {
    this.#save({ starts: [at, ...this.starts].slice(0, KEPT_STARTS) });
  }

  /** Remembered before its file goes: a crash in between must not start the agent again. */
  end(item: WakeItem, outcome: string, at: string): void {
    const { id, type, from, delivered_at, invoked_at = null } = item;
    const wake = { id, type, from, delivered_at, invoked_at, ended_at: at, outcome };
    this.#save({ ended: [wake, ...this.ended].slice(0, KEPT_WAKES) });
    this.drop(item);
  }

  #save(change: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...change };
    writePrivateJson(this.#statePath, this.#kept);
  }

  get #statePath(): string {
    return join(this.folder, 'state.json');
  }

  #path(id: string): string {
    return join(this.#queue, `${id}.json`);
  }
}

function keptIn({ cursor, starts, ended }: JsonObject): Kept {
  return {
    cursor: typeof cursor === 'string' ? cursor : '',
    starts: Array.isArray(starts) ? starts.filter((at) => typeof at === 'string') : [],
    ended: Array.isArray(ended) ? ended.filter(isEnded) : [],
  };
}

const isEnded = (value: unknown): value is EndedWake =>
  isJsonObject(value) && typeof value['id'] === 'string';
