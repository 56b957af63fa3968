import type { ExecutionAnswer } from '@parley/protocol/delivery/types';
import type { DeliveryClient } from '@parley/sdk/delivery/client';
import type { ExecutionFilter } from '@parley/sdk/delivery/executions';
import { setTimeout as sleep } from 'node:timers/promises';
import { tell } from '../calling.ts';
import { EXIT } from '../cli-error.ts';
import { printJson, printTold } from '../output.ts';
import { Patience } from '../patience.ts';
import type { ServerOptions } from '../with-server.ts';
import { findCue, findExecution } from './find.ts';
import { withDelivery } from './server-delivery.ts';
import { executionLine, showExecution, showExecutions } from './views.ts';

export interface ExecutionsOptions extends ServerOptions {
  cue?: string;
  status?: string;
  limit?: number;
  follow?: boolean;
}

export async function executions(options: ExecutionsOptions): Promise<void> {
  await withDelivery(options, async (parley) => {
    const { cue, status, limit } = options;
    const cueId = cue === undefined ? undefined : (await findCue(parley, cue)).id;
    const filter = { cue_id: cueId, status, limit };
    const { executions: found } = await parley.executions.list(filter);
    if (!options.follow) {
      tell(found, options, showExecutions);
      return;
    }
    const stop = new AbortController();
    process.once('SIGINT', () => stop.abort());
    const told = new Told(options);
    told.tell(found.toReversed());
    await follow(parley, told, filter, stop.signal);
  });
}

/** Each execution when it appears and each time its status or outcome changes, once. */
class Told {
  readonly #options: ServerOptions;
  readonly #known = new Map<string, string>();

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  tell(oldestFirst: readonly ExecutionAnswer[]): void {
    const news = oldestFirst.filter((run) => this.#isNew(run));
    if (news.length === 0) return;
    tell(news, this.#options, (page, runs) => runs.forEach((run) => executionLine(page, run)));
  }

  /** Whether everything of this page was told before, so that older pages hold nothing new. */
  knows(runs: readonly ExecutionAnswer[]): boolean {
    return runs.every(({ id }) => this.#known.has(id));
  }

  #isNew({ id, status, outcome_state: outcome }: ExecutionAnswer): boolean {
    const state = `${status} ${outcome ?? ''}`;
    if (this.#known.get(id) === state) return false;
    this.#known.set(id, state);
    return true;
  }
}

const LOOK_EVERY_MS = 1000;

type Filter = Pick<ExecutionFilter, 'cue_id' | 'status'>;

async function follow(parley: DeliveryClient, told: Told, filter: Filter, stop: AbortSignal): Promise<void> {
  const patience = new Patience(stop);
  patience.answered();
  while (!stop.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
    try {
      told.tell((await newest(parley, told, filter)).toReversed());
      patience.answered();
    } catch (error) {
      await patience.after(error);
    }
  }
  process.exitCode = EXIT.interrupted;
}

/** Newest first, back to a page that holds nothing new. */
async function newest(parley: DeliveryClient, told: Told, filter: Filter): Promise<ExecutionAnswer[]> {
  const found: ExecutionAnswer[] = [];
  for (;;) {
    const page = await parley.executions.list({ ...filter, limit: 100, offset: found.length });
    found.push(...page.executions);
    if (!page.has_more || told.knows(page.executions)) return found;
  }
}

export async function showOne(said: string, options: ServerOptions): Promise<void> {
  await withDelivery(options, async (parley) => {
    tell([await findExecution(parley, said)], options, (page, [run]) => run && showExecution(page, run));
  });
}

export async function replay(said: string, options: ServerOptions): Promise<void> {
  await withDelivery(options, async (parley) => {
    const { id } = await findExecution(parley, said);
    const replayed = await parley.executions.replay(id);
    if (options.json) printJson(replayed);
    else printTold(`replayed execution=${replayed.execution_id} of=${id}`);
  });
}
