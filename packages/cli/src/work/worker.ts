import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { TransportError } from '@parley/sdk/channels/transport';
import { DeliveryClient } from '@parley/sdk/delivery/client';
import { DeliveryError } from '@parley/sdk/delivery/delivery-error';
import { EXIT } from '../cli-error.ts';
import { withDelivery } from '../cue/server-delivery.ts';
import { untilInterrupted } from '../interrupt.ts';
import { harmlessLine } from '../harmless.ts';
import { printJson, printLine, printNote } from '../output.ts';
import type { ServerOptions } from '../with-server.ts';
import { type Ran, runJob } from './run-job.ts';

export interface WorkOptions extends ServerOptions {
  task?: string | undefined;
  concurrency: number;
  once?: boolean | undefined;
  name?: string | undefined;
}

const WAIT_SECONDS = 25;
const PATIENCE_MS = 1_000;
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
  // A server that never answered is a wrong address; one that did comes back.
  const reached = { once: false };
  while (!signal.aborted) {
    const claimed = await next(parley, options, worker, signal, reached);
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
  reached: { once: boolean },
): Promise<Claimed | undefined> {
  try {
    const filter = { ...(task !== undefined && { task }), wait: WAIT_SECONDS, limit: 1, signal };
    const [first] = (await parley.executions.claimable(filter)).executions;
    reached.once = true;
    if (!first) return undefined;
    const { payload } = await parley.executions.claim(first.execution_id, worker);
    return { id: first.execution_id, cueId: first.cue_id, task: first.task, payload };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof DeliveryError && error.status === 409) return undefined;
    const passes = error instanceof TransportError || (error instanceof DeliveryError && error.retryable);
    if (!passes || !reached.once) throw error;
    printNote('the server does not answer; trying again');
    await sleep(PATIENCE_MS, undefined, { signal }).catch(() => undefined);
    return undefined;
  }
}

const REPORT_TRIES = 5;

/** What was done must be told, so a server that is away for a moment is asked again. */
async function report(parley: DeliveryClient, id: string, ran: Ran): Promise<void> {
  for (let left = REPORT_TRIES; ; left -= 1) {
    try {
      await parley.executions.outcome(id, { ...ran, executed_via: 'parley work' });
      return;
    } catch (error) {
      const passes = error instanceof TransportError || (error instanceof DeliveryError && error.retryable);
      if (!passes || left <= 1) throw error;
      await sleep(PATIENCE_MS);
    }
  }
}
