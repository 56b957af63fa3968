/** Ends the command with this exit code. The message is for the person or agent at the terminal. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: string;
  readonly exitCode: number;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    options: { exitCode?: number; details?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.exitCode = options.exitCode ?? EXIT.failed;
    this.details = options.details ?? {};
  }
}

export const EXIT = {
  done: 0,
  failed: 1,
  timeout: 2,
  gone: 3,
  interrupted: 130,
} as const;
