import type { Report } from '../../wire/memory/errors.ts';
import { checkInstant } from '../capsule/instant.ts';

/** Entries of one capsule share few different times, so each is parsed once. */
export class TimeCheck {
  readonly #report: Report;
  readonly #good = new Set<string>();

  constructor(report: Report) {
    this.#report = report;
  }

  check(text: string | undefined, field: string): void {
    if (text === undefined || this.#good.has(text)) return;
    let faulty = false;
    checkInstant(text, field, (path, message) => {
      faulty = true;
      this.#report(path, message);
    });
    if (!faulty) this.#good.add(text);
  }

  entry(entry: EntryTimes, list: string): void {
    this.check(entry.created_at, `${list}[].created_at`);
    this.check(entry.updated_at, `${list}[].updated_at`);
    this.check(entry.last_confirmed_at, `${list}[].last_confirmed_at`);
  }
}

export interface EntryTimes {
  created_at?: string | undefined;
  updated_at?: string | undefined;
  last_confirmed_at?: string | undefined;
}
