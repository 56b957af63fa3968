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
    this.details = options.details ?? {};
    this.exitCode = options.exitCode ?? exitCodeOf(code, this.details['status']);
    this.hint = options.hint;
  }
}

/** `: connect ECONNREFUSED 127.0.0.1:7330` tells more than that nobody answered. */
export function why(cause: unknown): string {
  // A name with several addresses fails once for each; the last one tried says as much as all.
  const reason: unknown = cause instanceof AggregateError ? cause.errors.at(-1) : cause;
  return reason instanceof Error && reason.message !== '' ? `: ${reason.message}` : '';
}

/** What to do when a setting of the server is wrong. */
export const CONFIGURED = '"parley config print" shows each setting and where its value is from';

/** What to do without a key. */
export const NO_KEY =
  '"parley login" or "parley agent register NAME" gets one; --stdin hands one over, --profile names another';

export const noKey = (server: string): CliError =>
  new CliError('no_key', `parley: no key for ${server}`, { hint: NO_KEY });

/** What to do when nobody answers at the server's address. */
export const NO_SERVER =
  'is the server running? "parley serve" starts one, --server or PARLEY_URL names another';

/** `error` came of the connection; its cause says more. */
export const unreachable = (server: string, error: unknown): CliError =>
  new CliError(
    'unreachable',
    `parley: no answer from ${server}${why(error instanceof Error ? error.cause : undefined)}`,
    { hint: NO_SERVER, cause: error },
  );

/** How a command ends. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** A wrong command line, wrong input or a wrong configuration. */
  misuse: 2,
  /** Of `channel listen` alone, where scripts know it as the time that is over. */
  timeout: 2,
  gone: 3,
  denied: 4,
  refused: 5,
  waited: 6,
  unreachable: 7,
  interrupted: 130,
} as const;

/** What is found wrong here, before or without an answer of a server. */
const HERE: Readonly<Record<string, number>> = {
  usage: EXIT.misuse,
  ambiguous: EXIT.misuse,
  empty_text: EXIT.misuse,
  missing_input: EXIT.misuse,
  not_utf8: EXIT.misuse,
  several_sessions: EXIT.misuse,
  text_too_large: EXIT.misuse,
  too_many_arguments: EXIT.misuse,
  unknown_section: EXIT.misuse,
  unsafe_credentials: EXIT.misuse,
  bad_credentials: EXIT.misuse,
  no_session: EXIT.gone,
  no_profile: EXIT.gone,
  no_key: EXIT.denied,
  key_mismatch: EXIT.denied,
  already_registered: EXIT.refused,
  timed_out: EXIT.waited,
  unreachable: EXIT.unreachable,
  network_unreachable: EXIT.unreachable,
};

/** Refused by a rule, though the status says that something is forbidden. */
const RULES = new Set([
  'policy_blocked',
  'cross_tenant_messaging_forbidden',
  'cue_limit_exceeded',
  'loop_guard_tripped',
]);

/** By what the failure is called, then by the status the server answered with. */
export function exitCodeOf(code: string, status: unknown): number {
  const known = HERE[code];
  if (known !== undefined) return known;
  if (RULES.has(code)) return EXIT.refused;
  if (typeof status === 'number') return exitOf(status);
  return code.startsWith('invalid_') ? EXIT.misuse : EXIT.failed;
}

/** How a command ends to which the server answered with this status. */
function exitOf(status: number): number {
  if (status === 401 || status === 403) return EXIT.denied;
  if (status === 404 || status === 410) return EXIT.gone;
  if (status === 402 || status === 409 || status === 423 || status === 429) return EXIT.refused;
  if (status === 408 || status === 504) return EXIT.waited;
  return status >= 400 && status < 500 ? EXIT.misuse : EXIT.failed;
}
