import * as routes from '@parley/protocol/delivery/cue-routes';
import type { SentCue, SentCueBackfill, SentCueFire, SentCuePatch } from '@parley/protocol/delivery/sent';
import type {
  CueAnswer,
  CueBackfilled,
  CueFired,
  CueListAnswer,
  CueNext,
  CuesDeleted,
  CueWithExecutions,
} from '@parley/protocol/delivery/types';
import type { CueStatus } from '@parley/protocol/delivery/vocabulary';
import { meant, type RouteCaller } from '../route-caller.ts';

export interface CuePage {
  status?: CueStatus | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

/** Schedules: what should happen and when. */
export class Cues {
  readonly #caller: RouteCaller;

  constructor(caller: RouteCaller) {
    this.#caller = caller;
  }

  create(cue: SentCue): Promise<CueAnswer> {
    return this.#caller.call(routes.cueCreate, { body: cue });
  }

  list(page: CuePage = {}): Promise<CueListAnswer> {
    return this.#caller.call(routes.cueList, { query: { ...page } });
  }

  read(
    id: string,
    page: { execution_limit?: number; execution_offset?: number } = {},
  ): Promise<CueWithExecutions> {
    return this.#caller.call(routes.cueRead, { path: [id], query: page });
  }

  update(id: string, patch: SentCuePatch): Promise<CueAnswer> {
    return this.#caller.call(routes.cueUpdate, { path: [id], body: patch });
  }

  pause(id: string): Promise<CueAnswer> {
    return this.update(id, { status: 'paused' });
  }

  resume(id: string): Promise<CueAnswer> {
    return this.update(id, { status: 'active' });
  }

  async delete(id: string): Promise<void> {
    await this.#caller.call(routes.cueDelete, { path: [id] });
  }

  deleteAll(ids: readonly string[]): Promise<CuesDeleted> {
    return this.#caller.call(routes.cueBulkDelete, { body: { ids }, headers: meant });
  }

  /** Fired once, however often it has to be sent; with an `idempotency_key` of one's own also over a restart. */
  fire(id: string, fire: SentCueFire = {}): Promise<CueFired> {
    const body = { idempotency_key: crypto.randomUUID(), ...fire };
    return this.#caller.call(routes.cueFire, { path: [id], body, isRepeatable: true });
  }

  /** When it runs next, also as the clock in its time zone shows it. */
  next(id: string, count?: number): Promise<CueNext> {
    return this.#caller.call(routes.cueNext, { path: [id], query: { count } });
  }

  /** Past times that have no execution yet; with `dry_run` it only says which. */
  backfill(id: string, range: SentCueBackfill): Promise<CueBackfilled> {
    return this.#caller.call(routes.cueBackfill, { path: [id], body: range });
  }
}
