import type { OpsRunRequest } from '@parley/protocol/continuity/beyond-requests';
import * as routes from '@parley/protocol/continuity/routes';
import { isObject } from '@parley/protocol/json';
import type { RouteDeclaration } from '@parley/protocol/route';
import type { z } from 'zod';
import type { Caller } from '../wire/caller.ts';
import { type Check, compiled } from '../platform/http/schema.ts';
import { archive } from './retention/archive.ts';
import type { OperationCall } from './call.ts';
import { remove } from './retention/delete.ts';
import type { MemoryContext } from './memory-context.ts';
import { DetailError } from '../wire/memory/errors.ts';
import { diff, history, restore } from './read/history.ts';
import type { ForeignFolder } from './import/foreign-folder.ts';
import { createJournal, type Journal } from './journal.ts';
import { list } from './list/list.ts';
import { runOps } from './retention/retention-apply.ts';
import { patch } from './write/patch.ts';
import { refreshPlan, retentionPlan } from './retention/plans.ts';
import { read, type ReadParts } from './read/read.ts';
import type { ReadMarks } from './read/read-marks.ts';
import { compare, revalidate } from './write/revalidate.ts';
import { schemaError } from '../wire/memory/schema-errors.ts';
import { search } from './list/search.ts';
import type { StartupSections } from './read/startup-sections.ts';
import { transition } from './write/transition.ts';
import { upsert } from './write/upsert.ts';
import { requireScopes } from './access.ts';

/** An operation by its declaration: what it needs, and what it does, whatever transport it came by. */
export interface ContinuityOperation {
  readonly route: RouteDeclaration;
  readonly check: Check<unknown>;
  run(call: OperationCall<unknown>): Promise<object>;
}

/** Capsules: the documents agents carry on from. */
export class ContinuityService {
  readonly memory: MemoryContext;
  /** Where other modules add to what a startup read tells. */
  readonly sections: StartupSections;
  /** What other modules keep among the memory, for imports. */
  readonly folders: ForeignFolder[] = [];
  /** Where other modules record what they keep among the memory. */
  readonly journal: Journal;
  readonly operations: ReadonlyMap<string, ContinuityOperation>;
  readonly #marks: ReadMarks;
  readonly #listeners: ((ownerId: string) => void)[] = [];

  constructor(parts: ReadParts) {
    const { memory } = parts;
    this.memory = memory;
    this.sections = parts.sections;
    this.journal = createJournal(memory.settings.revisionsKept, (ownerId) => this.changed(ownerId));
    this.#marks = parts.marks;
    const known = [
      operation(routes.upsert, (call) => upsert(memory, call)),
      operation(routes.patch, (call) => patch(memory, call)),
      operation(routes.lifecycle, (call) => transition(memory, call)),
      operation(routes.read, (call) => read(parts, call)),
      operation(routes.compare, (call) => compare(memory, call)),
      operation(routes.revalidate, (call) => revalidate(memory, call)),
      operation(routes.list, (call) => list(memory, call)),
      operation(routes.archive, (call) => archive(memory, call)),
      operation(routes.remove, (call) => remove(memory, call)),
      operation(routes.refreshPlan, async (call) => {
        await this.#marks.write();
        return await refreshPlan(memory, call);
      }),
      operation(routes.retentionPlan, (call) => retentionPlan(memory, call)),
      operation(routes.history, (call) => history(memory, call)),
      operation(routes.diff, (call) => diff(memory, call)),
      operation(routes.restore, (call) => restore(memory, call)),
      operation(routes.search, (call) => search(memory, call)),
    ];
    this.operations = new Map(known.map((each) => [each.route.name, this.#told(each)]));
  }

  /** For transports other than HTTP: checks the arguments and the scopes as a route would, and does it. */
  async call(name: string, caller: Caller, raw: unknown, bytes = 0): Promise<object> {
    const found = this.operations.get(name);
    if (!found) throw new TypeError(`there is no operation ${name}`);
    const checked = found.check(raw);
    if (!checked.success) throw schemaError('body', checked.error.issues, raw);
    requireScopes(caller, found.route);
    return await found.run({ caller, body: checked.data, raw, bytes });
  }

  /** A capsule was handed out by other means than a read. */
  noteUse(ownerId: string, subject: Parameters<ReadMarks['noteRead']>[1]): void {
    this.#marks.noteRead(ownerId, subject, this.memory.clock.now());
  }

  /** A job an operator runs on the host. */
  async runOps(caller: Caller, request: OpsRunRequest): Promise<object> {
    const result = await runOps(this.memory, caller, request);
    this.changed(caller.ownerId);
    return result;
  }

  /** Told after the commit that something of an owner's memory may have changed. */
  onChanged(listener: (ownerId: string) => void): void {
    this.#listeners.push(listener);
  }

  /** To be told after the commit, also by modules that keep documents of their own. */
  changed(ownerId: string): void {
    for (const listener of this.#listeners) listener(ownerId);
  }

  async close(): Promise<void> {
    await this.#marks.write();
  }

  #told(known: ContinuityOperation): ContinuityOperation {
    if (!known.route.scopes?.includes('write:projects')) return known;
    return {
      ...known,
      run: async (call) => {
        const answer = await known.run(call);
        this.changed(call.caller.ownerId);
        return answer;
      },
    };
  }
}

function operation<Body extends z.ZodType>(
  route: RouteDeclaration<Body, z.ZodType<undefined>>,
  run: (call: OperationCall<z.output<Body>>) => Promise<object>,
): ContinuityOperation {
  if (!route.body) throw new TypeError(`${route.name} takes no body`);
  // Whoever calls has checked the body with the schema of the route.
  return {
    route,
    check: compiled(route.body),
    run: (call) => explained(call.body, () => run(call as OperationCall<z.output<Body>>)),
  };
}

/** Who asks for an explanation gets one with every 400, whichever check refused. */
async function explained(body: unknown, run: () => Promise<object>): Promise<object> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof DetailError && wantsExplanation(body) ? error.explained() : error;
  }
}

const wantsExplanation = (body: unknown): boolean => isObject(body) && body.explain === true;
