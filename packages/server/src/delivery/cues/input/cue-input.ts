import { isCueId } from '@parley/protocol/delivery/ids';
import { MAX_PAYLOAD_BYTES } from '@parley/protocol/delivery/limits';
import type { CueCallback, CueSchedule } from '@parley/protocol/delivery/types';
import type { Caller } from '../../../wire/caller.ts';
import { DeliveryError, validationError } from '../../../wire/delivery/errors.ts';
import { checkedUrl } from '../../checked-url.ts';
import type { CueContext } from '../cue-context.ts';
import type { CueRow, Payload } from '../record/cue-row.ts';
import { readCue } from '../record/cue-store.ts';
import { readSchedule, type Schedule } from '../schedule/schedule.ts';

const NUL = /(?<!\\)(?:\\\\)*\\u0000/;

/** The payload as it is stored. */
export function payloadText(payload: Payload): string {
  const text = JSON.stringify(payload);
  if (NUL.test(text)) throw new DeliveryError('invalid_payload', 'the payload must not hold NUL characters');
  if (Buffer.byteLength(text) > MAX_PAYLOAD_BYTES) throw new DeliveryError('invalid_payload_size');
  return text;
}

/** A single time has to be still to come. */
export function scheduleToCome(given: CueSchedule, now: number): Schedule {
  const schedule = readSchedule(given, now);
  if (schedule.at !== null && schedule.at <= now) {
    throw new DeliveryError('invalid_schedule', 'schedule.at must lie in the future');
  }
  return schedule;
}

/** What the server thinks of the URLs of a cue; a name that leads nowhere is told, where it is let through. */
export async function checkUrls(
  context: CueContext,
  urls: readonly (string | null | undefined)[],
): Promise<string | null> {
  let warning: string | null = null;
  for (const url of urls) {
    if (url == null) continue;
    const told = await checkedUrl(context, url, (why) => new DeliveryError('invalid_callback_url', why));
    warning ??= told;
  }
  return warning;
}

export const callbackText = ({ url, method, headers }: CueCallback): string =>
  JSON.stringify({ url, method, headers });

/** The agent a caller names for a cue, by suffix: one of its own, and one it may act on. */
export async function namedAgent(
  { directory, reach }: CueContext,
  caller: Caller,
  ref: string | null,
): Promise<string | null> {
  if (ref === null) return null;
  const { suffix } = await directory.resolveOwn(caller.ownerId, ref);
  await reach.agent(caller, ref);
  return suffix;
}

/** The cue to be fired after a success. */
export async function checkNext(
  { database }: CueContext,
  ownerId: string,
  next: string | null,
  self: string | null,
): Promise<void> {
  if (next === null) return;
  if (next === self) {
    throw validationError([{ field: 'body.on_success_fire', message: 'must be another cue' }]);
  }
  const found = isCueId(next) ? await readCue(database.read, ownerId, next) : undefined;
  if (!found) throw new DeliveryError('cue_not_found', `there is no cue ${next} to fire`);
}

type Ways = Pick<
  CueRow,
  'transport' | 'callback' | 'agent' | 'delivery_mode' | 'live_fallback_mode' | 'schedule_type' | 'overlap'
>;

/** What only makes sense together. Looked at as the cue will be. */
export function checkWays(cue: Ways, payload: Payload): void {
  const toAgent = cue.agent !== null || typeof payload.agent === 'string' || typeof payload.task === 'string';
  if (cue.transport === 'webhook' && cue.callback === null && cue.agent === null) {
    throw validationError([
      { field: 'body.callback.url', message: 'is required, unless the cue has an agent or transport worker' },
    ]);
  }
  for (const field of ['delivery_mode', 'live_fallback_mode'] as const) {
    if (cue[field] !== null && !toAgent) {
      throw validationError([{ field: `body.${field}`, message: 'needs an agent to deliver to' }]);
    }
  }
  if (cue.overlap !== 'allow' && cue.schedule_type === 'once') {
    throw validationError([{ field: 'body.overlap', message: 'is for recurring cues' }]);
  }
}
