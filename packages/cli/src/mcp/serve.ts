import { createInterface } from 'node:readline';
import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { CredentialsFile, credentialsPath } from '../agent/credentials-file.ts';
import { serverUrl } from '../agent/server-call.ts';
import { daemonHome } from '../daemon/daemon-config.ts';
import { BridgeWakes } from './bridge-wakes.ts';
import { ChannelTools } from './channel-tools.ts';
import type { Loose } from './rpc.ts';
import { ServerLink } from './server-link.ts';
import { StdioServer } from './stdio-server.ts';

export interface ServeOptions {
  server: string;
  tools?: string | undefined;
  wakes: 'auto' | 'on' | 'off';
  profile?: string | undefined;
}

/** Runs until the client closes standard input, which is how clients end the programs they started. */
export async function serveMcp({ server: named, tools, wakes, profile }: ServeOptions): Promise<void> {
  const server = serverUrl(named);
  const transport = new NodeTransport(server);
  const known = new CredentialsFile(credentialsPath(process.env)).of(server, profile);
  const keys = known ? [known.session_token, known.api_key].filter((key) => key !== undefined) : [];
  const channels = new ChannelTools(server);
  const home = daemonHome(undefined, process.env);
  const bridge = new BridgeWakes({ home, server, agentId: known?.agent_id ?? '' });
  const stdio = new StdioServer({
    link: new ServerLink({ server, transport, keys, tools, tell: write }),
    channels,
    wakes: { when: keys.length === 0 ? 'off' : wakes, transport, keys, bridge },
    write,
  });
  try {
    for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY }))
      stdio.take(line);
  } finally {
    await stdio.end();
    await channels.close();
    transport.close();
  }
}

function write(message: Loose): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
