import { ROOMS_ERRORS, type RoomsErrorBody, type RoomsErrorCode } from '@parley/protocol/rooms/errors';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { DomainError } from '../../platform/http/domain-error.ts';
import { shapeErrors } from '../../platform/http/server.ts';
import type { LimitVerdict, Wait } from '../../platform/limits/limiter.ts';
import type { Log } from '../../platform/log.ts';
import { helpLink } from '../help-link.ts';
import { MAYBE_DONE, OR_SAME_KEY } from '../maybe-done.ts';

/** Keys that some errors carry beside the four of every body. */
export type RoomsErrorExtra = Partial<
  Pick<RoomsErrorBody, 'endpoint' | 'allow' | 'max_chars' | 'retry_after_seconds'>
>;

/** An error of the rooms protocol. Without a hint of its own it carries the catalogue's. */
export class RoomsError extends DomainError {
  override readonly name = 'RoomsError';
  readonly code: RoomsErrorCode;
  readonly hint: string;
  readonly extra: RoomsErrorExtra;

  constructor(code: RoomsErrorCode, hint: string = ROOMS_ERRORS[code].hint, extra: RoomsErrorExtra = {}) {
    super(`${code}: ${hint}`);
    this.code = code;
    this.hint = hint;
    this.extra = extra;
  }

  get status(): number {
    return ROOMS_ERRORS[this.code].status;
  }

  body(): RoomsErrorBody {
    const { status, recoverable } = ROOMS_ERRORS[this.code];
    return { error: this.code, status, recoverable, ...this.extra, hint: this.hint };
  }

  override headers(): Readonly<Record<string, string>> {
    const { allow, retry_after_seconds: wait } = this.extra;
    return {
      ...helpLink(this.code),
      ...(allow && { Allow: allow.join(', ') }),
      ...(wait !== undefined && { 'Retry-After': String(wait) }),
    };
  }
}

export const unauthorized = (): RoomsError => new RoomsError('unauthorized');

export const rateLimited = ({ retryAfterSec, told }: Wait): RoomsError =>
  new RoomsError('rate_limited', told && `${ROOMS_ERRORS.rate_limited.hint} ${told}`, {
    retry_after_seconds: retryAfterSec,
  });

/** Refuses what a limit does. */
export function mustPass(verdict: LimitVerdict): void {
  if (!verdict.ok) throw rateLimited(verdict);
}

export const notSupported = (endpoint: string, hint: string): RoomsError =>
  new RoomsError('endpoint_not_supported', hint, { endpoint });

export const bodyTooLarge = (): RoomsError =>
  new RoomsError('payload_too_large', 'Keep the request body within 64 KiB.');

/** What the route table asks for: the refusals that need no rule of a module. */
export const roomsRefusals = {
  invalidJson: (): RoomsError => new RoomsError('invalid_request', 'The body must be a JSON object.'),

  invalid(_where: 'body' | 'query', issues: readonly z.core.$ZodIssue[]): RoomsError {
    const [issue] = issues;
    const field = issue?.path.join('.') ?? '';
    if (field === '') return roomsRefusals.invalidJson();
    return new RoomsError('invalid_request', `${field}: ${issue?.message ?? 'is not valid'}.`);
  },

  hiddenName: (): RoomsError =>
    new RoomsError('invalid_request', 'No object may have a member named __proto__.'),

  methodNotAllowed: (allow: readonly string[]): RoomsError =>
    new RoomsError('method_not_allowed', `Use one of: ${allow.join(', ')}.`, { allow }),
};

export function shapeRoomsErrors(app: FastifyInstance, log: Log): void {
  shapeErrors(app, log, {
    tooLarge: bodyTooLarge,
    unexpected: () => new RoomsError('internal_error'),
    away: ({ uncertain }) =>
      new RoomsError(
        'service_unavailable',
        uncertain ? `The database does not answer: ${MAYBE_DONE}${OR_SAME_KEY}.` : undefined,
        { retry_after_seconds: 1 },
      ),
    full: () => new RoomsError('insufficient_storage'),
  });
}
