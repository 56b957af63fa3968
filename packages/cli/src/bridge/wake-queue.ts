import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from './failures.ts';
import { jsonFilesIn, readJsonObject, removeFile, writePrivateJson } from './kept/private-json.ts';
import { storedJob, type WakeJob, wakeKey } from './wake-job.ts';

/** The wakes that wait: one file each. The folder is the queue, so whatever is in it survives any end of the process. */
export class WakeQueue {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** In the order they came in. */
  list(): WakeJob[] {
    return this.#files()
      .flatMap(({ job }) => job ?? [])
      .toSorted((one, other) => (one.received_at < other.received_at ? -1 : 1));
  }

  /** Files that are no wakes, and why. */
  broken(): string[] {
    return this.#files().flatMap(({ problem }) => problem ?? []);
  }

  of(room: string): WakeJob[] {
    return this.list().filter((job) => job.room_id === room);
  }

  has({ delivery_id: id }: WakeJob): boolean {
    return existsSync(this.#path(id));
  }

  /** Whether one for the same turn, or for a later one of the room, waits. */
  covers(job: WakeJob): boolean {
    const key = wakeKey(job);
    return this.of(job.room_id).some((other) => {
      if (other.delivery_id === job.delivery_id) return true;
      if (key !== undefined && wakeKey(other) === key) return true;
      return other.next_turn !== null && job.next_turn !== null && other.next_turn > job.next_turn;
    });
  }

  /** In place of every other wake of the room: only the newest turn can still be answered. */
  put(job: WakeJob): void {
    const older = this.of(job.room_id).filter(({ delivery_id: id }) => id !== job.delivery_id);
    writePrivateJson(this.#path(job.delivery_id), job);
    for (const { delivery_id: id } of older) this.#remove(id);
  }

  /** Unless it was dropped meanwhile. */
  update(job: WakeJob): void {
    if (this.has(job)) writePrivateJson(this.#path(job.delivery_id), job);
  }

  drop({ delivery_id: id }: WakeJob): void {
    this.#remove(id);
  }

  dropRoom(room: string): void {
    for (const job of this.of(room)) this.drop(job);
  }

  #remove(id: string): void {
    removeFile(this.#path(id));
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }

  #files(): { job?: WakeJob; problem?: string }[] {
    return jsonFilesIn(this.#folder).map((name) => {
      try {
        const said = readJsonObject(join(this.#folder, name));
        if (!said) return {};
        const job = storedJob(said);
        if (job && `${job.delivery_id}.json` === name) return { job };
        return { problem: `${join(this.#folder, name)} is no wake` };
      } catch (error) {
        return { problem: reasonOf(error) };
      }
    });
  }
}
