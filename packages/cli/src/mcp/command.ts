import { Command, Option } from 'commander';
import { serverOption } from '../command-options.ts';

const NOTES = `
Speaks MCP on standard input and output, and forwards to the server with the key of this machine ("parley agent register").
Sealed channels are tools of this program alone: their key never reaches the server.

In the configuration of a client, as "parley install" writes it:
  {"mcpServers": {"parley": {"command": "parley", "args": ["mcp"]}}}`;

export function mcpCommand(): Command {
  return new Command('mcp')
    .addOption(serverOption())
    .option(
      '--tools <groups>',
      'groups of tools to show, such as default,cues; default: what the server shows',
    )
    .addOption(
      new Option(
        '--wakes <when>',
        'tell the client what wakes the agent; auto: clients that are known to take it',
      )
        .choices(['auto', 'on', 'off'])
        .default('auto'),
    )
    .description('an MCP server on standard input and output, for clients that start programs')
    .addHelpText('after', NOTES)
    .action(async (options) => (await import('./serve.ts')).serveMcp(options));
}
