import { hostname } from 'node:os';
import { DeliveryClient } from '@parley/sdk/delivery/client';
import { DeliveryError } from '@parley/sdk/delivery/delivery-error';
import { EXIT } from '../cli-error.ts';
import { withDelivery } from '../cue/server-delivery.ts';
import { untilInterrupted } from '../interrupt.ts';
import { harmlessLine } from '../harmless.ts';
import { printJson, printLine } from '../output.ts';
import { Patience } from '../patience.ts';
import type { ServerOptions } from '../with-server.ts';
import { type Ran, runJob } from './run-job.ts';

export interface WorkOptions extends ServerOptions {
  task?: string | undefined;
  concurrency: number;
  once?: boolean | undefined;
  name?: string | undefined;
}

const WAIT_SECONDS = 25;
/** A claim lasts a quarter of an hour. */
const BEAT_MS = 300_000;

/** Each place claims, runs, reports and claims again. What is claimed when we are stopped is finished first. */
export async function work(argv: readonly string[], options: WorkOptions): Promise<void> {
  const signal = untilInterrupted();
  const worker = options.name ?? `${hostname()}-${process.pid}`;
  await withDelivery(options, async (parley) => {
    const places = options.once ? 1 : options.concurrency;
    await Promise.all(
      Array.from({ length: places }, (_, at) => place(parley, argv, options, `${worker}-${at + 1}`, signal)),
    );
  });
  if (signal.aborted) process.exitCode = EXIT.interrupted;
}

async function place(
  parley: DeliveryClient,
  argv: readonly string[],
  options: WorkOptions,
  worker: string,
  signal: AbortSignal,
): Promise<void> {
  const patience = new Patience(signal);
  while (!signal.aborted) {
    const claimed = await next(parley, options, worker, signal, patience);
    if (!claimed) continue;
    const beat = setInterval(
      () => void parley.executions.beat(claimed.id, worker).catch(() => undefined),
      BEAT_MS,
    );
    const ran = await runJob(argv, { ...claimed, server: options.server }).finally(() => clearInterval(beat));
    await report(parley, claimed.id, ran);
    if (options.json) printJson({ execution_id: claimed.id, ...ran });
    else
      printLine(
        [claimed.id, ran.success ? 'success' : 'failed', harmlessLine(ran.error ?? '')].join('\t').trimEnd(),
      );
    if (!options.once) continue;
    if (!ran.success) process.exitCode = EXIT.failed;
    return;
  }
}

interface Claimed {
  readonly id: string;
  readonly cueId: string;
  readonly task: string | null;
  readonly payload: unknown;
}

/** Undefined when there was nothing, somebody else was faster, or the server did not answer. */
async function next(
  parley: DeliveryClient,
  { task }: WorkOptions,
  worker: string,
  signal: AbortSignal,
  patience: Patience,
): Promise<Claimed | undefined> {
  try {
    const filter = { ...(task !== undefined && { task }), wait: WAIT_SECONDS, limit: 1, signal };
    const [first] = (await parley.executions.claimable(filter)).executions;
    patience.answered();
    if (!first) return undefined;
    const ours = await claim(parley, first.execution_id, worker, patience, signal);
    return ours && { id: first.execution_id, cueId: first.cue_id, task: first.task, ...ours };
  } catch (error) {
    if (!signal.aborted) await patience.after(error);
    return undefined;
  }
}

/** The payload of what is ours now. A claim whose answer was lost may have been made all the same: the server knows by whom. */
async function claim(
  parley: DeliveryClient,
  id: string,
  worker: string,
  patience: Patience,
  signal: AbortSignal,
): Promise<{ payload: unknown } | undefined> {
  let isUnsure = false;
  while (!signal.aborted) {
    try {
      const { payload } = await parley.executions.claim(id, worker);
      return { payload };
    } catch (error) {
      const isTaken = error instanceof DeliveryError && error.status === 409;
      if (isTaken && !isUnsure) return undefined;
      isUnsure = true;
      if (!isTaken) {
        await patience.after(error);
        continue;
      }
      const { claimed_by_worker: by, outcome_state: outcome, payload } = await parley.executions.read(id);
      return by === worker && outcome === null ? { payload } : undefined;
    }
  }
  return undefined;
}

/** What was done must be told, so a server that is away is asked until it answers; once it has been told, that is enough. */
async function report(parley: DeliveryClient, id: string, ran: Ran): Promise<void> {
  const patience = new Patience();
  patience.answered();
  for (;;) {
    try {
      await parley.executions.outcome(id, { ...ran, executed_via: 'parley work' });
      return;
    } catch (error) {
      if (error instanceof DeliveryError && error.code === 'outcome_already_recorded') return;
      await patience.after(error);
    }
  }
}
