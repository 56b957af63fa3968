import { type MemoryErrorCode, memoryErrorAt } from '@parley/protocol/continuity/errors';
import { DomainError } from '../../platform/http/domain-error.ts';
import { helpLink } from '../help-link.ts';

/** One fault of a request that a rule found; `explain` asks for all of them. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Of what was refused, no more than this is told back. */
export const ECHOED_CHARS = 200;

/** Where a fault is that concerns more than one field. */
export const REQUEST = 'request';

export interface DetailErrorOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly problems?: readonly Problem[];
  /** What an object says in words. */
  readonly text?: string;
  /** A stable word beside a text. The help has a page for each. */
  readonly code?: MemoryErrorCode;
  /** What the help calls it; else it goes by the code or the status. */
  readonly help?: string;
}

/** An error of the memory protocols: `{"detail": …}`, where the detail is a text, a list of faults, or an object. */
export class DetailError extends DomainError {
  override readonly name = 'DetailError';
  readonly status: number;
  readonly detail: string | object;
  readonly #options: DetailErrorOptions;

  constructor(status: number, detail: string | object, options: DetailErrorOptions = {}) {
    super(typeof detail === 'string' ? detail : (options.text ?? JSON.stringify(detail)));
    this.status = status;
    this.detail = detail;
    this.#options = options;
  }

  body(): object {
    const { problems, code } = this.#options;
    return { detail: this.detail, ...(code !== undefined && { code }), ...(problems && { problems }) };
  }

  /** The faults it stands for: only a broken rule is one. */
  problems(): readonly Problem[] {
    if (this.status !== 400) return [];
    return this.#options.problems ?? [{ path: REQUEST, message: this.message }];
  }

  /** The same refusal with its fault as the one that was found, unless all of them are listed already. */
  explained(): DetailError {
    if (this.status !== 400 || this.#options.problems) return this;
    return new DetailError(this.status, this.detail, { ...this.#options, problems: this.problems() });
  }

  override headers(): Readonly<Record<string, string>> {
    const { headers, help, code } = this.#options;
    return { ...helpLink(help ?? code ?? memoryErrorAt(this.status)), ...headers };
  }
}

/** What every 503 carries whose cause passes by itself. */
export const COME_BACK = { 'Retry-After': '1' } as const;

export const badRequest = (text: string): DetailError => new DetailError(400, text);
export const forbidden = (text: string): DetailError => new DetailError(403, text);
export const missingScope = (scope: string): DetailError =>
  new DetailError(403, `Missing scope: ${scope}`, { help: 'missing_scope' });
export const notFound = (text: string): DetailError => new DetailError(404, text);
export const conflict = (text: string): DetailError => new DetailError(409, text);

/** The form of errors that name a code beside their text. */
export const structuredError = (
  status: number,
  operation: string,
  code: string,
  detail: string,
): DetailError =>
  new DetailError(
    status,
    { ok: false, operation, error: { code, detail } },
    { text: detail, ...(status === 503 && { headers: COME_BACK }) },
  );

/** Something nobody foresaw: the one shape without `detail`. */
export class UnhandledError extends DomainError {
  override readonly name = 'UnhandledError';
  readonly status = 500;

  override headers(): Readonly<Record<string, string>> {
    return helpLink('internal_error');
  }

  body(): object {
    return {
      ok: false,
      operation: 'unhandled',
      error: { code: 'internal_error', detail: 'The server could not handle this request' },
    };
  }
}

/** Told of each fault, in the fixed order of the rules. Whether the first one ends the matter is up to the listener. */
export type Report = (path: string, message: string) => void;

export const refuseFirst: Report = (_path, message) => {
  throw badRequest(message);
};

/** Refuses at the first fault; with `explain` lets every rule speak, and tells the list of all beside the first. */
export function refusing<T>(explain: boolean, check: (report: Report) => T): T {
  if (!explain) return check(refuseFirst);
  const problems: Problem[] = [];
  try {
    const checked = check((path, message) => problems.push({ path, message }));
    if (problems.length === 0) return checked;
  } catch (error) {
    // A rule that nothing can be looked at behind. It does not undo what was found before it.
    if (problems.length === 0 || !(error instanceof DetailError)) throw error;
    problems.push(...error.problems());
  }
  throw new DetailError(400, problems[0]?.message ?? '', { problems });
}
