import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { type Transport, TransportError } from '@parley/sdk/channels/transport';
import { CredentialsFile, credentialsPath } from './agent/credentials-file.ts';
import { serverUrl } from './agent/server-call.ts';
import { secretInput } from './channel/text-input.ts';
import { noKey, unreachable } from './cli-error.ts';

export interface ServerOptions {
  server: string;
  stdin?: boolean | undefined;
  json?: boolean | undefined;
  profile?: string | undefined;
}

/** What a client of the SDK is made from. */
export interface Access {
  readonly server: string;
  readonly key: string;
  readonly transport: Transport;
}

/** Does something on a server as whoever we are there; a session that is over is followed by the key behind it. */
export async function withServer<T>(options: ServerOptions, act: (access: Access) => Promise<T>): Promise<T> {
  const server = serverUrl(options.server);
  const keys = await keysFor(server, options);
  const transport = new NodeTransport(server);
  try {
    for (const [index, key] of keys.entries()) {
      try {
        return await act({ server, key, transport });
      } catch (error) {
        if (!isOver(error) || index === keys.length - 1) throw error;
      }
    }
    throw noKey(server);
  } catch (error) {
    throw error instanceof TransportError ? unreachable(server, error) : error;
  } finally {
    transport.close();
  }
}

async function keysFor(server: string, { stdin, profile }: ServerOptions): Promise<string[]> {
  if (stdin) return [await secretInput('API key')];
  const known = new CredentialsFile(credentialsPath(process.env)).of(server, profile);
  if (!known) throw noKey(server);
  return [...(known.session_token === undefined ? [] : [known.session_token]), known.api_key];
}

const isOver = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && error.status === 401;
