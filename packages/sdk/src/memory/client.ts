import type * as answers from '@parley/protocol/continuity/answers';
import type { CapsuleEvent } from '@parley/protocol/continuity/list-answers';
import * as routes from '@parley/protocol/continuity/routes';
import type * as sent from '@parley/protocol/continuity/sent';
import type { AnswerOf, RouteDeclaration } from '@parley/protocol/route';
import type { StreamEvent } from '../event-stream-reader.ts';
import type { CallerOptions, RouteCaller } from '../route-caller.ts';
import { capsuleEvents } from './events.ts';
import { memoryCaller } from './memory-caller.ts';

/** A write that is meant; `rehearse` is for one that is not. */
type Meant<Request> = Request & { dry_run?: false | undefined };

const REHEARSED = {
  upsert: routes.upsert,
  patch: routes.patch,
  lifecycle: routes.lifecycle,
  revalidate: routes.revalidate,
};

export interface Rehearsals {
  upsert: sent.SentUpsert;
  patch: sent.SentPatch;
  lifecycle: sent.SentLifecycle;
  revalidate: sent.SentRevalidate;
}

/**
 * The capsules of one owner. Every call is one declared route, so what may be sent is what its schema says.
 *
 * ```ts
 * const memory = new MemoryClient({ server: 'http://127.0.0.1:7330', key });
 * const { startup_summary: summary } = await memory.startup({ subject_kind: 'task', subject_id: 'tide-cache' });
 * ```
 */
export class MemoryClient {
  readonly #caller: RouteCaller;

  constructor(options: CallerOptions) {
    this.#caller = memoryCaller(options);
  }

  /** With `idempotent_replay` and a key it is sent again when no answer comes, and stored once. */
  upsert(request: Meant<sent.SentUpsert>): Promise<answers.UpsertAnswer> {
    const isRepeatable = request.idempotent_replay === true && request.idempotency_key != null;
    return this.#caller.call(routes.upsert, { body: request, isRepeatable });
  }

  patch(request: Meant<sent.SentPatch>): Promise<answers.PatchAnswer> {
    return this.#call(routes.patch, request);
  }

  lifecycle(request: Meant<sent.SentLifecycle>): Promise<answers.LifecycleAnswer> {
    return this.#call(routes.lifecycle, request);
  }

  /** What a write would do; nothing is stored. */
  rehearse<Operation extends keyof Rehearsals>(
    operation: Operation,
    request: Rehearsals[Operation],
  ): Promise<answers.RehearsalAnswer> {
    const route: RouteDeclaration = REHEARSED[operation];
    return this.#call<RouteDeclaration, answers.RehearsalAnswer>(route, { ...request, dry_run: true });
  }

  read(request: Omit<sent.SentRead, 'view'>): Promise<answers.ReadAnswer> {
    return this.#call(routes.read, request);
  }

  /** A read with what to carry on from. A capsule that is not there is an answer too, unless the caller refuses that. */
  startup(request: Omit<sent.SentRead, 'view'>): Promise<answers.StartupAnswer> {
    return this.#call(routes.read, { allow_fallback: true, ...request, view: 'startup' });
  }

  compare(request: sent.SentCompare): Promise<AnswerOf<typeof routes.compare>> {
    return this.#call(routes.compare, request);
  }

  revalidate(request: Meant<sent.SentRevalidate>): Promise<answers.RevalidateAnswer> {
    return this.#call(routes.revalidate, request);
  }

  list(request: sent.SentList = {}): Promise<AnswerOf<typeof routes.list>> {
    return this.#call(routes.list, request);
  }

  archive(request: sent.SentArchive): Promise<AnswerOf<typeof routes.archive>> {
    return this.#call(routes.archive, request);
  }

  delete(request: sent.SentDelete): Promise<AnswerOf<typeof routes.remove>> {
    return this.#call(routes.remove, request);
  }

  refreshPlan(request: sent.SentRefreshPlan = {}): Promise<AnswerOf<typeof routes.refreshPlan>> {
    return this.#call(routes.refreshPlan, request);
  }

  retentionPlan(request: sent.SentRetentionPlan = {}): Promise<AnswerOf<typeof routes.retentionPlan>> {
    return this.#call(routes.retentionPlan, request);
  }

  history(request: sent.SentHistory): Promise<AnswerOf<typeof routes.history>> {
    return this.#call(routes.history, request);
  }

  diff(request: sent.SentDiff): Promise<AnswerOf<typeof routes.diff>> {
    return this.#call(routes.diff, request);
  }

  restore(request: sent.SentRestore): Promise<AnswerOf<typeof routes.restore>> {
    return this.#call(routes.restore, request);
  }

  search(request: sent.SentSearch): Promise<AnswerOf<typeof routes.search>> {
    return this.#call(routes.search, request);
  }

  /** Storage jobs; the server takes them from its own host only. */
  coldStore(job: sent.SentColdStore): Promise<AnswerOf<typeof routes.opsRun>> {
    return this.#call(routes.opsRun, { job_id: 'continuity_cold_store', arguments: job });
  }

  coldRehydrate(job: sent.SentColdRehydrate): Promise<AnswerOf<typeof routes.opsRun>> {
    return this.#call(routes.opsRun, { job_id: 'continuity_cold_rehydrate', arguments: job });
  }

  retentionApply(job: sent.SentRetentionApply): Promise<AnswerOf<typeof routes.opsRun>> {
    return this.#call(routes.opsRun, { job_id: 'continuity_retention_apply', arguments: job });
  }

  /** Changes after the event `after`, then as they happen, over any number of connections. */
  async *events({
    after = 0,
    signal,
  }: {
    after?: number | undefined;
    signal?: AbortSignal | undefined;
  } = {}): AsyncGenerator<CapsuleEvent> {
    const resume = { after: (last?: StreamEvent) => ({ after: last?.id ?? after }), signal };
    for await (const event of this.#caller.events(routes.events, resume)) yield* capsuleEvents(event);
  }

  /** The answer as the server wrote it, for whoever hands it on unchanged. */
  text(route: RouteDeclaration, request: object): Promise<string> {
    return this.#caller.text(route, { body: request });
  }

  #call<Route extends RouteDeclaration, Answer extends AnswerOf<Route> = AnswerOf<Route>>(
    route: Route,
    request: object,
  ): Promise<Answer> {
    return this.#caller.call<Route, Answer>(route, { body: request });
  }
}
