import { basename } from 'node:path';
import { nameProblem } from '@parley/protocol/channels/names';
import { CliError } from '../cli-error.ts';

/** `--name`, else the name of the folder we are in, in plain letters. */
export function ownName(given: string | undefined, directory: string): string {
  if (given === undefined) {
    const name = basename(directory)
      .replaceAll(/[^A-Za-z0-9._-]/g, '_')
      .slice(0, 60);
    return name === '' ? 'agent' : name;
  }
  const problem = nameProblem(given);
  if (problem !== undefined) throw new CliError('invalid_name', `parley: --name: ${problem}`);
  return given;
}
