import type { WakeChannel } from './mcp-channel.ts';
import { runCommand } from './command.ts';
import type { Outcome, Run } from './run.ts';
import { callRuntime, dropFile, printWake, typeLine } from './tellers.ts';

/** Hands a wake over. Throws when nobody was started or told; the wake then waits. */
export async function runAdapter(run: Run, channel: WakeChannel | undefined): Promise<Outcome> {
  const { adapter } = run.agent;
  switch (adapter.type) {
    case 'command':
      return await runCommand(adapter, run);
    case 'http-hook':
      return await callRuntime(adapter, run);
    case 'file':
      return dropFile(adapter, run);
    case 'tmux':
      return await typeLine(adapter, run);
    case 'stdout':
      return printWake(run);
    case 'mcp-channel':
    default:
      if (!channel) throw new Error('the channel is not open');
      return await channel.tell(run);
  }
}
