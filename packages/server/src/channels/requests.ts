import { POLL_HOLD_SECONDS } from '@parley/protocol/channels/limits';
import type { ChannelErrorCode } from '@parley/protocol/channels/errors';
import { isObject } from '@parley/protocol/json';
import { firstValue } from '../platform/http/first-value.ts';
import { ChannelError } from './errors.ts';
import type { PollRequest } from './service.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Parses a request body whatever its content type says. */
export function parseBody(raw: unknown): unknown {
  if (typeof raw !== 'string' || raw === '') throw new ChannelError('invalid_json');
  try {
    return JSON.parse(raw);
  } catch {
    throw new ChannelError('invalid_json');
  }
}

/** The body's fields, if it is an object in which none of `needed` is absent, null, "", 0 or false. */
export function neededFields(body: unknown, needed: readonly string[], missing: ChannelErrorCode): Fields {
  if (!isObject(body)) throw new ChannelError(missing);
  if (needed.some((name) => !Object.hasOwn(body, name) || !body[name])) throw new ChannelError(missing);
  return body;
}

export function sendFields(body: unknown): Fields {
  const missing = 'missing_token_participant_id_or_text';
  const fields = neededFields(body, ['token', 'participant_id'], missing);
  // An empty or wrong text is told apart from a missing one, and only after the caller was recognised.
  if (!Object.hasOwn(fields, 'text')) throw new ChannelError(missing);
  return fields;
}

export interface ReadQuery extends PollRequest {
  roster: boolean;
}

type Given = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Query of poll and events. Credentials may come in headers instead, so that they stay out of URLs.
 * `since` is read as a leading decimal integer: `1.9` is 1, `2x` is 2.
 */
export function readQuery(query: Given, headers: Given): ReadQuery {
  const token = firstValue(query.token) || bearer(firstValue(headers.authorization));
  const participantId = firstValue(query.participant_id) || firstValue(headers['x-participant-id']);
  const since = cursor(firstValue(query.since));
  if (!token || !participantId || since === undefined) throw new ChannelError('missing_or_invalid_query');
  return {
    token,
    participantId,
    since,
    waitMs: waitMs(firstValue(query.wait)),
    roster: firstValue(query.roster) === '1',
  };
}

/** Where a stream goes on: after the last event the client has seen, or from `since`. */
export function streamStart(since: number, headers: Given): number {
  const given = firstValue(headers['last-event-id']);
  const last = given ? cursor(given) : undefined;
  return last === undefined ? since : last + 1;
}

function cursor(raw: string | undefined): number | undefined {
  if (raw === undefined || raw === '') return 0;
  const value = Number.parseInt(raw, 10);
  return Number.isNaN(value) || value < 0 ? undefined : value;
}

function waitMs(raw: string | undefined): number | undefined {
  const seconds = raw ? Number(raw) : Number.NaN;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), POLL_HOLD_SECONDS) * 1000;
}

function bearer(header: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(header ?? '')?.[1];
}
