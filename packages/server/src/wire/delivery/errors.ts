import {
  DELIVERY_ERRORS,
  type DeliveryErrorBody,
  type DeliveryErrorCode,
  type DeliveryErrorEnvelope,
  type FieldProblem,
} from '@parley/protocol/delivery/errors';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { DEEPEST_BODY } from '../../platform/http/nesting.ts';
import { DomainError } from '../../platform/http/domain-error.ts';
import { shapeErrors } from '../../platform/http/server.ts';
import type { LimitVerdict, Wait } from '../../platform/limits/limiter.ts';
import type { Log } from '../../platform/log.ts';
import { helpLink } from '../help-link.ts';
import { MAYBE_DONE, OR_SAME_KEY } from '../maybe-done.ts';

export interface DeliveryErrorOptions {
  /** For the one code (`http_error`) that is used with two statuses. */
  readonly status?: number;
  readonly details?: readonly FieldProblem[];
  /** Members that some errors show inside the envelope: `limit`, `current`, `window_seconds`. */
  readonly extra?: Readonly<Record<string, number | string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error of the delivery protocol. Without a message of its own it carries the catalogue's. */
export class DeliveryError extends DomainError {
  override readonly name = 'DeliveryError';
  readonly code: DeliveryErrorCode;
  readonly status: number;
  readonly #options: DeliveryErrorOptions;

  constructor(
    code: DeliveryErrorCode,
    message: string = DELIVERY_ERRORS[code].message,
    options: DeliveryErrorOptions = {},
  ) {
    super(message);
    this.code = code;
    this.status = options.status ?? DELIVERY_ERRORS[code].status;
    this.#options = options;
  }

  body(): DeliveryErrorBody {
    const { details, extra } = this.#options;
    const error: DeliveryErrorEnvelope = {
      code: this.code,
      message: this.message,
      status: this.status,
      ...extra,
      ...(details && { details }),
    };
    return { error, detail: { error } };
  }

  override headers(): Readonly<Record<string, string>> {
    return { ...helpLink(this.code), ...this.#options.headers };
  }
}

export const rateLimitExceeded = (
  { retryAfterSec, told = '' }: Wait,
  extra: Readonly<Record<string, number>> = {},
): DeliveryError =>
  new DeliveryError(
    'rate_limit_exceeded',
    `too many requests. Retry after ${retryAfterSec} seconds. ${told}`.trimEnd(),
    { extra, headers: { 'Retry-After': String(retryAfterSec) } },
  );

/** Refuses what a limit does. */
export function mustPass(verdict: LimitVerdict): void {
  if (!verdict.ok) throw rateLimitExceeded(verdict);
}

/** Names the scope, and in `hint` the way to come by it. */
export const missingScope = (scope: string, hint: string): DeliveryError =>
  new DeliveryError('missing_scope', `Missing scope: ${scope}`, { extra: { hint } });

export function validationError(details: readonly [FieldProblem, ...FieldProblem[]]): DeliveryError {
  const [{ field, message }] = details;
  return new DeliveryError('validation_error', `${field}: ${message}`, { details });
}

/** What the route table asks for: the refusals that need no rule of a module. */
export const deliveryRefusals = {
  invalidJson: (): DeliveryError => new DeliveryError('invalid_json'),
  tooDeep: (): DeliveryError =>
    new DeliveryError('invalid_json', `the request body is nested more than ${DEEPEST_BODY} levels deep`),

  invalid(where: 'body' | 'query', issues: readonly z.core.$ZodIssue[]): DeliveryError {
    const [first, ...rest] = issues.flatMap((issue) => problemsOf(where, issue));
    return validationError([first ?? { field: where, message: 'is not valid' }, ...rest]);
  },

  hiddenName: (): DeliveryError =>
    validationError([{ field: 'body', message: 'no object may have a member named __proto__' }]),

  methodNotAllowed: (allow: readonly string[]): DeliveryError =>
    new DeliveryError('http_error', `use one of: ${allow.join(', ')}`, {
      status: 405,
      headers: { Allow: allow.join(', ') },
    }),
};

/** An unknown key is its own problem at its own place, not one of the object around it. */
function problemsOf(where: string, issue: z.core.$ZodIssue): FieldProblem[] {
  const at = [where, ...issue.path.map(String)];
  if (issue.code !== 'unrecognized_keys') return [{ field: at.join('.'), message: issue.message }];
  return issue.keys.map((key) => ({ field: [...at, key].join('.'), message: 'unknown field' }));
}

export function shapeDeliveryErrors(app: FastifyInstance, log: Log): void {
  shapeErrors(app, log, {
    tooLarge: () => new DeliveryError('request_too_large'),
    unexpected: () => new DeliveryError('internal_error'),
    away: ({ uncertain }) =>
      new DeliveryError(
        'service_unavailable',
        uncertain ? `the database does not answer: ${MAYBE_DONE}${OR_SAME_KEY}` : undefined,
        { headers: { 'Retry-After': '1' } },
      ),
    full: () => new DeliveryError('insufficient_storage'),
  });
}
