import { DomainError } from '../platform/http/domain-error.ts';

/** One fault of a request that a rule found; `explain` asks for all of them. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Of what was refused, no more than this is told back. */
export const ECHOED_CHARS = 200;

export interface DetailErrorOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly problems?: readonly Problem[];
  /** What an object says in words. */
  readonly text?: string;
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
    const { problems } = this.#options;
    return { detail: this.detail, ...(problems && { problems }) };
  }

  /** The same refusal with its fault as the one that was found, unless all of them are listed already. */
  explained(): DetailError {
    if (this.status !== 400 || this.#options.problems) return this;
    const problems = [{ path: 'request', message: this.message }];
    return new DetailError(this.status, this.detail, { ...this.#options, problems });
  }

  override headers(): Readonly<Record<string, string>> {
    return this.#options.headers ?? {};
  }
}

export const badRequest = (text: string): DetailError => new DetailError(400, text);
export const forbidden = (text: string): DetailError => new DetailError(403, text);
export const notFound = (text: string): DetailError => new DetailError(404, text);
export const conflict = (text: string): DetailError => new DetailError(409, text);

/** The form of errors that name a code beside their text. */
export const structuredError = (
  status: number,
  operation: string,
  code: string,
  detail: string,
): DetailError =>
  new DetailError(status, { ok: false, operation, error: { code, detail } }, { text: detail });

/** Something nobody foresaw: the one shape without `detail`. */
export class UnhandledError extends DomainError {
  override readonly name = 'UnhandledError';
  readonly status = 500;

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

/** Lets every rule speak, then refuses with the first fault and the list of all. */
export function refuseAll(check: (report: Report) => void): void {
  const problems: Problem[] = [];
  check((path, message) => problems.push({ path, message }));
  const [first] = problems;
  if (first) throw new DetailError(400, first.message, { problems });
}
