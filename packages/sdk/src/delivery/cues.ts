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
import type { DeliveryServer } from './delivery-server.ts';

export interface CuePage {
  status?: CueStatus | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

/** Schedules: what should happen and when. */
export class Cues {
  readonly #server: DeliveryServer;

  constructor(server: DeliveryServer) {
    this.#server = server;
  }

  create(cue: SentCue): Promise<CueAnswer> {
    return this.#server.call(routes.cueCreate, { body: cue });
  }

  list(page: CuePage = {}): Promise<CueListAnswer> {
    return this.#server.call(routes.cueList, { query: { ...page } });
  }

  read(
    id: string,
    page: { execution_limit?: number; execution_offset?: number } = {},
  ): Promise<CueWithExecutions> {
    return this.#server.call(routes.cueRead, { ids: [id], query: page });
  }

  update(id: string, patch: SentCuePatch): Promise<CueAnswer> {
    return this.#server.call(routes.cueUpdate, { ids: [id], body: patch });
  }

  pause(id: string): Promise<CueAnswer> {
    return this.update(id, { status: 'paused' });
  }

  resume(id: string): Promise<CueAnswer> {
    return this.update(id, { status: 'active' });
  }

  async delete(id: string): Promise<void> {
    await this.#server.call(routes.cueDelete, { ids: [id] });
  }

  deleteAll(ids: readonly string[]): Promise<CuesDeleted> {
    const headers = { 'x-confirm-destructive': 'true' };
    return this.#server.call(routes.cueBulkDelete, { body: { ids }, headers });
  }

  fire(id: string, fire: SentCueFire = {}): Promise<CueFired> {
    return this.#server.call(routes.cueFire, { ids: [id], body: fire });
  }

  /** When it runs next, also as the clock in its time zone shows it. */
  next(id: string, count?: number): Promise<CueNext> {
    return this.#server.call(routes.cueNext, { ids: [id], query: { count } });
  }

  /** Past times that have no execution yet; with `dry_run` it only says which. */
  backfill(id: string, range: SentCueBackfill): Promise<CueBackfilled> {
    return this.#server.call(routes.cueBackfill, { ids: [id], body: range });
  }
}
