import { Command } from 'commander';
import { onServer } from '../command-options.ts';

/** `parley status`, and `parley` alone. */
export function statusCommand(): Command {
  return onServer(new Command('status'), 'print one JSON object')
    .description('show the server, who we are there, what waits for us and what to type next')
    .action(async (options) => (await import('./status.ts')).status(options));
}
