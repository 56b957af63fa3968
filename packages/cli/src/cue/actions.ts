import type { SentCue } from '@parley/protocol/delivery/sent';
import type {
  Attachment,
  CatchUp,
  CueStatus,
  Overlap,
  VerificationMode,
} from '@parley/protocol/delivery/vocabulary';
import { parsedObject } from '@parley/protocol/json';
import { tell } from '../calling.ts';
import { CliError } from '../cli-error.ts';
import { printJson, printTold } from '../output.ts';
import { instantFrom, localZone, whenFrom } from '../when.ts';
import type { ServerOptions } from '../with-server.ts';
import { findCue } from './find.ts';
import { withDelivery } from './server-delivery.ts';
import { showCue, showCues } from './views.ts';

export interface CreateOptions extends ServerOptions {
  cron?: string;
  at?: string;
  zone?: string;
  to?: string;
  worker?: boolean;
  url?: string;
  message?: string;
  payload?: string;
  task?: string;
  description?: string;
  catchUp?: CatchUp;
  overlap?: Overlap;
  jitter?: number;
  attach?: Attachment;
  verify?: VerificationMode;
  deadline?: number;
}

export async function create(name: string, options: CreateOptions): Promise<void> {
  await withDelivery(options, async (parley) => {
    tell(
      [await parley.cues.create(cueFrom(name, options))],
      options,
      (page, [cue]) => cue && showCue(page, cue),
    );
  });
}

function cueFrom(name: string, options: CreateOptions): SentCue {
  const { cron, at, to, worker, url, message, task } = options;
  const zone = options.zone ?? localZone();
  const when = at === undefined ? undefined : whenFrom(at, new Date(), zone);
  return {
    name,
    ...(cron !== undefined && { cron }),
    ...(when && { at: when.at }),
    timezone: zone,
    ...(to !== undefined && { agent: to }),
    ...(worker && { worker }),
    ...(url !== undefined && { callback_url: url }),
    payload: {
      ...payloadFrom(options.payload),
      ...(task !== undefined && { task }),
      ...(message !== undefined && { message }),
    },
    description: options.description,
    catch_up: options.catchUp,
    overlap: options.overlap,
    jitter_seconds: options.jitter,
    attach: options.attach,
    ...(options.verify !== undefined && { verification: { mode: options.verify } }),
    ...(options.deadline !== undefined && { delivery: { outcome_deadline_seconds: options.deadline } }),
  };
}

function payloadFrom(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  const payload = parsedObject(text);
  if (payload) return payload;
  throw new CliError('invalid_payload', 'parley: the payload must be a JSON object, such as {"task":"tidy"}');
}

export async function list(options: ServerOptions & { status?: CueStatus; limit?: number }): Promise<void> {
  const { status, limit } = options;
  await withDelivery(options, async (parley) => {
    tell((await parley.cues.list({ status, limit })).cues, options, showCues);
  });
}

export async function showOne(said: string, options: ServerOptions): Promise<void> {
  await withDelivery(options, async (parley) => {
    tell([await findCue(parley, said)], options, (page, [cue]) => cue && showCue(page, cue));
  });
}

export async function next(said: string, options: ServerOptions & { count?: number }): Promise<void> {
  await withDelivery(options, async (parley) => {
    const { id } = await findCue(parley, said);
    const { runs, timezone } = await parley.cues.next(id, options.count);
    tell(runs, options, (page) => {
      if (runs.length === 0) page.aside('It will not run.');
      for (const { at, local } of runs)
        page.entry([{ text: `${local} ${timezone}` }, { text: at, style: 'dim' }]);
    });
  });
}

export interface FireOptions extends ServerOptions {
  payload?: string;
  replace?: boolean;
  at?: string;
  key?: string;
}

export async function fire(said: string, options: FireOptions): Promise<void> {
  const { payload, replace, at, key } = options;
  await withDelivery(options, async (parley) => {
    const { id } = await findCue(parley, said);
    const fired = await parley.cues.fire(id, {
      ...(payload !== undefined && { payload_override: payloadFrom(payload) }),
      ...(replace && { merge_strategy: 'replace' }),
      ...(at !== undefined && { send_at: instantFrom(at) }),
      ...(key !== undefined && { idempotency_key: key }),
    });
    if (options.json) printJson(fired);
    else printTold(`fired execution=${fired.execution_id} route=${fired.delivery_route ?? 'none'}`);
  });
}

export async function pause(said: string, options: ServerOptions): Promise<void> {
  await change(said, 'paused', options);
}

export async function resume(said: string, options: ServerOptions): Promise<void> {
  await change(said, 'active', options);
}

async function change(said: string, status: 'active' | 'paused', options: ServerOptions): Promise<void> {
  await withDelivery(options, async (parley) => {
    const { id } = await findCue(parley, said);
    tell([await parley.cues.update(id, { status })], options, (page, [cue]) => cue && showCue(page, cue));
  });
}

export interface BackfillOptions extends ServerOptions {
  from: string;
  to: string;
  dryRun?: boolean;
}

export async function backfill(said: string, options: BackfillOptions): Promise<void> {
  await withDelivery(options, async (parley) => {
    const { id } = await findCue(parley, said);
    const { runs } = await parley.cues.backfill(id, {
      from: instantFrom(options.from),
      to: instantFrom(options.to),
      dry_run: options.dryRun === true,
    });
    tell(runs, options, (page) => {
      if (runs.length === 0) page.aside('There is no such time.');
      for (const { local, existed, execution_id: run } of runs) {
        page.entry([{ text: local }, { text: existed ? 'was there' : (run ?? 'would run') }]);
      }
    });
  });
}

export async function remove(said: readonly string[], options: ServerOptions): Promise<void> {
  await withDelivery(options, async (parley) => {
    for (const word of said) {
      const { id, name } = await findCue(parley, word);
      await parley.cues.delete(id);
      if (options.json) printJson({ id, deleted: true });
      else printTold(`removed ${id} ${name}`);
    }
  });
}
