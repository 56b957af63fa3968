import { webcrypto } from 'node:crypto';
import { type CryptoSource, KeyFormatError, parseKey } from '@parley/protocol/channels/key';
import { ChannelError } from '../channel-error.ts';
import type { Identity } from '../identity.ts';
import { NodeTransport } from '../node-transport.ts';
import { TransportError } from '../transport.ts';

/** Node 18 has no global one. */
export const crypto = webcrypto as CryptoSource;

/** What the functions of a shell session know; each is an environment variable of the same name. */
export interface SessionVariables {
  BRIDGE_URL: string;
  CHANNEL_ID: string;
  TOKEN: string;
  PARTICIPANT_ID: string;
  MY_NAME: string;
  CHANNEL_KEY: string;
  SESSION_FILE: string;
  EVENTS_FILE: string;
  MY_CHALL?: string;
  SHARE_FILE?: string;
  SHARE_HUMAN_FILE?: string;
}

/** Something the person or agent at the shell has to read; everything else that is thrown is a defect. */
export class ShellError extends Error {
  override readonly name = 'ShellError';
}

export function variable(name: keyof SessionVariables | `AGENTALK_${string}`): string {
  return process.env[name] ?? '';
}

export function needed(name: keyof SessionVariables): string {
  const value = variable(name);
  if (value === '') throw new ShellError(`${name} is not set; source the session file first`);
  return value;
}

export function seconds(name: `AGENTALK_${string}`): number | undefined {
  const value = variable(name);
  return /^\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

export function ownIdentity(): Identity {
  return {
    channelId: needed('CHANNEL_ID'),
    token: needed('TOKEN'),
    key: readKey(needed('CHANNEL_KEY')),
    participantId: needed('PARTICIPANT_ID'),
    name: needed('MY_NAME'),
  };
}

/** Any accepted spelling: a session file written by another program may keep the key as it stood in the link. */
export function readKey(text: string): string {
  try {
    return parseKey(text);
  } catch (error) {
    if (error instanceof KeyFormatError) throw new ShellError(error.message);
    throw error;
  }
}

let transport: NodeTransport | undefined;

/** One for the whole program, so that its calls share a connection. */
export function openTransport(): NodeTransport {
  transport ??= new NodeTransport(needed('BRIDGE_URL'));
  return transport;
}

/** The error of a request in one word, as it stands in event lines. */
export function errorCode(error: unknown): string {
  if (error instanceof ChannelError) return error.code;
  if (error instanceof TransportError) return 'network_unreachable';
  throw error;
}

export function readInput(): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    process.stdin.on('data', (part: Buffer) => void parts.push(part));
    process.stdin.on('end', () => resolve(Buffer.concat(parts)));
    process.stdin.on('error', reject);
  });
}
