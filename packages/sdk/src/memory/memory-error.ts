import { isObject } from '@parley/protocol/json';
import type { HttpAnswer } from '../channels/transport.ts';
import { mayPass } from '../passing.ts';
import { asText, refusal } from '../refusal.ts';

/** One thing the schema or a rule found wrong: where, and what. */
export interface Fault {
  path: string;
  message: string;
}

/** The server refused. `message` is what it said. */
export class MemoryError extends Error {
  override readonly name = 'MemoryError';
  readonly status: number;
  /** Only of the errors that name one, such as `continuity_source_lock_timeout`. */
  readonly code: string | undefined;
  /** All that is wrong with the request, where the server told more than the first fault. */
  readonly faults: readonly Fault[];
  readonly retryAfterSeconds: number | undefined;
  /** All that the server said. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>, retryAfter?: number) {
    const faults = faultsOf(body);
    const named = namedError(body);
    super(asText(body['detail']) ?? named.detail ?? summary(faults) ?? `the server answered ${status}`);
    this.status = status;
    this.code = named.code;
    this.faults = faults;
    this.retryAfterSeconds = retryAfter;
    this.body = body;
  }

  /** There is no such capsule, revision, archive or list item. */
  get notFound(): boolean {
    return this.status === 404;
  }

  /** The stored capsule is newer, or as old and different: read it again before writing. */
  get conflict(): boolean {
    return this.status === 409 && this.code === undefined;
  }

  /** Trying the same again later may work. */
  get retryable(): boolean {
    return mayPass(this.status) || this.code === 'continuity_source_lock_timeout';
  }
}

export const memoryError = (answer: HttpAnswer): MemoryError => refusal(MemoryError, answer);

/** Breaches of the schema come as `detail: [{loc, msg}]`, all faults of the rules as `problems: [{path, message}]`. */
function faultsOf({ detail, problems }: Readonly<Record<string, unknown>>): Fault[] {
  const breaches = Array.isArray(detail) ? detail.filter(isObject) : [];
  const broken = Array.isArray(problems) ? problems.filter(isObject) : [];
  return [
    ...breaches.map(({ loc, msg }) => ({ path: placeOf(loc), message: asText(msg) ?? '' })),
    ...broken.map(({ path, message }) => ({ path: asText(path) ?? '', message: asText(message) ?? '' })),
  ];
}

/** `["body", "capsule", "open_loops", 2]` as one would write it: `capsule.open_loops.2`. */
function placeOf(loc: unknown): string {
  return Array.isArray(loc) ? loc.slice(1).join('.') : '';
}

function summary(faults: readonly Fault[]): string | undefined {
  if (faults.length === 0) return undefined;
  return faults.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}

/** The word stands beside a text, or with it in an object, which the schedule spells without one around it. */
function namedError(body: Readonly<Record<string, unknown>>): { code?: string; detail?: string } {
  const holder = isObject(body['detail']) ? body['detail'] : body;
  const error = isObject(holder['error']) ? holder['error'] : holder;
  const code = asText(error['code']);
  const detail = asText(error['detail']) ?? asText(error['message']) ?? code;
  return { ...(code !== undefined && { code }), ...(detail !== undefined && { detail }) };
}
