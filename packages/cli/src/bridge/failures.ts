import { CliError } from '../cli-error.ts';

/** How `aya` ends. A service manager must not start it again after 2 or 3: a person has to do something first. */
export const BRIDGE_EXIT = {
  done: 0,
  failed: 1,
  configuration: 2,
  login: 3,
  stream: 4,
  wake: 5,
} as const;

export function wrongConfiguration(message: string, hint?: string): CliError {
  return new CliError('configuration', message, { exitCode: BRIDGE_EXIT.configuration, hint });
}

export function loginNeeded(message: string): CliError {
  return new CliError('login', message, {
    exitCode: BRIDGE_EXIT.login,
    hint: "log in again with the agent's key: printf '%s' \"$KEY\" | aya login --stdin",
  });
}

/** What happened, for a log line or a job file: one line, of bounded length. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? withCause(error) : String(error);
  return message.replaceAll(/\s+/g, ' ').slice(0, 500);
}

function withCause({ message, cause }: Error): string {
  const deeper: unknown = cause instanceof AggregateError ? cause.errors.at(-1) : cause;
  return deeper instanceof Error && deeper.message !== '' ? `${message}: ${deeper.message}` : message;
}
