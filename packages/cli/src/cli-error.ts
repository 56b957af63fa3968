/** Ends the command with this exit code. The message is for the person or agent at the terminal. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: string;
  readonly exitCode: number;
  readonly details: Readonly<Record<string, unknown>>;
  /** What to do next, on a line of its own. */
  readonly hint: string | undefined;

  constructor(
    code: string,
    message: string,
    options: {
      exitCode?: number;
      details?: Readonly<Record<string, unknown>>;
      hint?: string | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.exitCode = options.exitCode ?? EXIT.failed;
    this.details = options.details ?? {};
    this.hint = options.hint;
  }
}

/** `: connect ECONNREFUSED 127.0.0.1:7330` tells more than that nobody answered. */
export function why(cause: unknown): string {
  // A name with several addresses fails once for each; the last one tried says as much as all.
  const reason: unknown = cause instanceof AggregateError ? cause.errors.at(-1) : cause;
  return reason instanceof Error && reason.message !== '' ? `: ${reason.message}` : '';
}

/** What to do when nobody answers at the server's address. */
export const NO_SERVER =
  'is the server running? "parley serve" starts one, --server or PARLEY_URL names another';

export const EXIT = {
  done: 0,
  failed: 1,
  /** A wrong command line, wrong input or a wrong configuration. */
  misuse: 2,
  /** Of `channel listen` alone, which had it before there was one table for all. */
  timeout: 2,
  gone: 3,
  denied: 4,
  refused: 5,
  waited: 6,
  unreachable: 7,
  interrupted: 130,
} as const;

const EXIT_OF_STATUS: Readonly<Record<number, number>> = {
  400: EXIT.misuse,
  401: EXIT.denied,
  403: EXIT.denied,
  404: EXIT.gone,
  409: EXIT.refused,
  410: EXIT.gone,
  413: EXIT.misuse,
  422: EXIT.misuse,
};

/** How a command ends to which the server answered with this status. */
export const exitOf = (status: number): number => EXIT_OF_STATUS[status] ?? EXIT.failed;
