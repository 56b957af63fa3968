import { badRequest, type Report } from '../../wire/memory/errors.ts';

/** A point in time as callers write it, exact to the microsecond. */
export interface Instant {
  /** Fixed width, so that texts compare as times do. */
  readonly key: string;
  /** UTC with `Z`; six fraction digits or none. */
  readonly canonical: string;
  readonly floorMs: number;
  readonly ceilMs: number;
}

export type ParsedInstant = Instant | 'malformed' | 'not_utc';

const FORM =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d(?::?[0-5]\d)?)?)?)?$/;

let latest: { readonly text: string; readonly parsed: ParsedInstant } | undefined;

/** One write asks for the same time again and again, so the last answer is kept. */
export function parseInstant(text: string): ParsedInstant {
  if (latest?.text !== text) latest = { text, parsed: parse(text) };
  return latest.parsed;
}

function parse(text: string): ParsedInstant {
  const found = FORM.exec(text);
  if (!found) return 'malformed';
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00', digits = '', zone] =
    found;
  const seconds = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const wholeMs = Date.parse(`${seconds}Z`);
  // A day or an hour too many is not refused by itself, but becomes another day.
  if (year === '0000' || new Date(wholeMs).getUTCDate() !== Number(day)) return 'malformed';
  if (zone !== 'Z' && zone !== '+00:00') return 'not_utc';
  const fraction = digits.slice(0, 6).padEnd(6, '0');
  const micros = Number(fraction);
  return {
    key: `${seconds}.${fraction}`,
    canonical: micros === 0 ? `${seconds}Z` : `${seconds}.${fraction}Z`,
    floorMs: wholeMs + Math.floor(micros / 1000),
    ceilMs: wholeMs + Math.ceil(micros / 1000),
  };
}

export function instantOrUndefined(text: string | undefined): Instant | undefined {
  const parsed = text === undefined ? 'malformed' : parseInstant(text);
  return typeof parsed === 'string' ? undefined : parsed;
}

/** A time as every load of a capsule spells it, however it was sent; what is none stays as it is. */
export const canonicalTime = (text: string): string => instantOrUndefined(text)?.canonical ?? text;

/** The time, or the refusal that names the field. */
export function requireInstant(text: string, field: string): Instant {
  const parsed = parseInstant(text);
  if (typeof parsed === 'string') throw badRequest(faultText(parsed, field));
  return parsed;
}

export function checkInstant(text: string, field: string, report: Report): void {
  const parsed = parseInstant(text);
  if (typeof parsed === 'string') report(field, faultText(parsed, field));
}

function faultText(fault: 'malformed' | 'not_utc', field: string): string {
  return fault === 'malformed' ? `Invalid UTC timestamp for ${field}` : `Timestamp must be UTC for ${field}`;
}

/** A reading of our own clock with what it knows of the second. */
export function fullInstant(ms: number): string {
  const text = new Date(ms).toISOString();
  return ms % 1000 === 0 ? `${text.slice(0, 19)}Z` : `${text.slice(0, 23)}000Z`;
}

/** `20260301T120000Z`, as archive names carry it. */
export function compactSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** What a capsule without a usable time is dated. */
export const EPOCH = '1970-01-01T00:00:00Z';
