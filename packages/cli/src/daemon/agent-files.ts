import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject } from '@parley/protocol/json';
import {
  jsonFilesIn,
  readJsonObject,
  removeFile,
  removeStrays,
  writePrivateJson,
  writePrivateText,
} from '../bridge/kept/private-json.ts';
import { CliError } from '../cli-error.ts';
import { makeFolder } from '../private-folder.ts';
import type { Named } from './receipts.ts';
import { namesOf, storedItem, type WakeItem } from './wake-item.ts';

/** How a wake ended; the last ones are kept, so that none starts the agent twice and people can see what happened. */
export interface EndedWake {
  readonly id: string;
  readonly type: WakeItem['type'];
  /** As the server calls it. */
  readonly names: readonly Named[];
  readonly from: string;
  readonly delivered_at: string;
  readonly invoked_at: string | null;
  readonly resumed_at: string | null;
  readonly ended_at: string;
  readonly outcome: string;
  readonly last_error?: string;
}

interface Kept {
  readonly cursor: string;
  readonly starts: readonly string[];
  readonly ended: readonly EndedWake[];
}

const KEPT_WAKES = 500;
const KEPT_STARTS = 1_000;
/** What programs printed. */
const KEPT_LOGS = 50;

/** What the daemon knows of one agent: the wakes that wait, a file each, and what became of the last ones. */
export class AgentFiles {
  readonly folder: string;
  readonly #queue: string;
  readonly #runs: string;
  #kept: Kept;

  constructor(home: string, name: string) {
    this.folder = join(home, name);
    this.#queue = join(this.folder, 'queue');
    this.#runs = join(this.folder, 'runs');
    for (const folder of [this.folder, this.#queue, this.#runs]) makeFolder(folder);
    this.#kept = keptIn(readJsonObject(this.#statePath) ?? {});
  }

  get session(): string {
    return join(this.folder, 'session.json');
  }

  get receipts(): string {
    return join(this.folder, 'receipts.json');
  }

  /** Where programs of this machine that talk to the agent's client are told of wakes. */
  get channel(): string {
    return join(this.folder, 'channel.sock');
  }

  /** For the agent's program, which is told the path and not the key. */
  get keyFile(): string {
    return join(this.folder, 'key');
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

  /** A program that an earlier daemon started may be reading it. */
  keepKey(key: string): void {
    writePrivateText(this.keyFile, key);
  }

  /** What a daemon that was killed in the middle of something left: drafts, and wakes that it had written down as over. */
  removeStrays(now: number): void {
    for (const folder of [this.folder, this.#queue, this.#runs]) removeStrays(folder, now);
    const over = new Set(this.ended.map(({ id }) => id));
    for (const { id } of this.items()) if (over.has(id)) this.#forget(id);
  }

  /** The oldest first. A file that is no wake is left alone. */
  items(): WakeItem[] {
    return jsonFilesIn(this.#queue)
      .flatMap((name) => this.#read(name) ?? [])
      .toSorted((one, other) => (one.delivered_at < other.delivered_at ? -1 : 1));
  }

  waiting(id: string): WakeItem | undefined {
    return this.#read(`${id}.json`);
  }

  knows({ id }: Pick<WakeItem, 'id'>): boolean {
    return existsSync(this.#path(id)) || this.ended.some((wake) => wake.id === id);
  }

  put(item: WakeItem): void {
    writePrivateJson(this.#path(item.id), item);
  }

  acknowledged(cursor: string): void {
    this.#save({ cursor });
  }

  started(at: string): void {
    this.#save({ starts: [at, ...this.starts].slice(0, KEPT_STARTS) });
  }

  /** Remembered before its file goes: a crash in between must not start the agent again. */
  end(item: WakeItem, outcome: string, at: string): void {
    const { id, type, from, delivered_at, invoked_at = null, resumed_at = null, last_error } = item;
    const facts = { delivered_at, invoked_at, resumed_at, ended_at: at, outcome };
    const wake = { id, type, names: namesOf(item), from, ...facts };
    const said = last_error === undefined ? wake : { ...wake, last_error };
    this.#save({ ended: [said, ...this.ended].slice(0, KEPT_WAKES) });
    this.#forget(id);
    this.#forgetLogs();
  }

  /** An agent that was told said later that it is at it. False when that was known, or nothing of such a wake is. */
  resumed(id: string, at: string): boolean {
    const wake = this.ended.find((one) => one.id === id);
    if (!wake || wake.resumed_at !== null) return false;
    const now = { ...wake, resumed_at: at };
    this.#save({ ended: this.ended.map((one) => (one.id === id ? now : one)) });
    return true;
  }

  /** What a program reads on its standard input. A file, so that it has all of it even when the daemon ends meanwhile. */
  input(id: string): string {
    return join(this.#runs, `${id}.in`);
  }

  /** What a program prints. */
  output(id: string): string {
    return join(this.#runs, `${id}.log`);
  }

  #read(name: string): WakeItem | undefined {
    try {
      return storedItem(readJsonObject(join(this.#queue, name)) ?? {}, name);
    } catch (error) {
      if (error instanceof CliError) return undefined;
      throw error;
    }
  }

  #forget(id: string): void {
    removeFile(this.#path(id));
    removeFile(this.input(id));
  }

  #forgetLogs(): void {
    const logs = readdirSync(this.#runs).filter((name) => name.endsWith('.log'));
    if (logs.length <= KEPT_LOGS) return;
    const aged = logs.map((name) => ({ name, at: statSync(join(this.#runs, name)).mtimeMs }));
    for (const { name } of aged.toSorted((one, other) => other.at - one.at).slice(KEPT_LOGS)) {
      rmSync(join(this.#runs, name), { force: true });
    }
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

const isEnded = (value: unknown): value is EndedWake => isObject(value) && typeof value['id'] === 'string';
