import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../cli-error.ts';
import { daemonHome } from './daemon-config.ts';

export interface HomeOption {
  readonly home?: string;
  readonly json?: true;
}

/** How `parley bridge` ends, as every command of `parley` does. A service manager must not start it again after 2 or 4. */
export const EXIT_CODES = {
  failed: 1,
  configuration: 2,
  missing: 3,
  login: 4,
  late: 6,
  unreachable: 7,
} as const;

export const homeOf = ({ home }: HomeOption): string => daemonHome(home, process.env);
export const pausedPath = (home: string): string => join(home, 'paused');
export const lockPath = (home: string): string => join(home, 'bridge.lock');
export const isPaused = (home: string): boolean => existsSync(pausedPath(home));

/** What `aya` calls a login that is needed is here one of `parley bridge`. */
export function asBridgeFailure(error: unknown): unknown {
  if (!(error instanceof CliError) || error.code !== 'login') return error;
  return new CliError('login', error.message, {
    exitCode: EXIT_CODES.login,
    hint: 'hand over a key of the agent: parley bridge init NAME --stdin …',
  });
}
