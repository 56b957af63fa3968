import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, EXIT } from '../cli-error.ts';
import { daemonHome } from './daemon-config.ts';

export interface HomeOption {
  readonly home?: string;
  readonly json?: true;
}

export const homeOf = ({ home }: HomeOption): string => daemonHome(home, process.env);
export const pausedPath = (home: string): string => join(home, 'paused');
export const lockPath = (home: string): string => join(home, 'bridge.lock');
export const isPaused = (home: string): boolean => existsSync(pausedPath(home));

/** What `aya` calls a login that is needed is here one of `parley bridge`. */
export function asBridgeFailure(error: unknown): unknown {
  if (!(error instanceof CliError) || error.code !== 'login') return error;
  return new CliError('login', error.message, {
    exitCode: EXIT.denied,
    hint: 'hand over a key of the agent: parley bridge init NAME --stdin …',
  });
}
