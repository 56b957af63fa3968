import type { RouteDeclaration } from '@parley/protocol/route';
import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { TransportError } from '@parley/sdk/channels/transport';
import { MemoryClient } from '@parley/sdk/memory/client';
import { MemoryError } from '@parley/sdk/memory/memory-error';
import { CredentialsFile, credentialsPath } from '../agent/credentials-file.ts';
import { serverUrl } from '../agent/server-call.ts';
import { secretInput } from '../channel/text-input.ts';
import { CliError, EXIT, NO_SERVER, why } from '../cli-error.ts';
import { printLine } from '../output.ts';
import { harmlessLine } from '../harmless.ts';
import { Page } from './page.ts';
import { terminalOf } from './terminal.ts';

export interface MemoryCommandOptions {
  server: string;
  stdin?: boolean | undefined;
  json?: boolean | undefined;
}

/** Does something with the capsules of whoever we are on this server. */
export async function withMemory<T>(
  options: MemoryCommandOptions,
  act: (memory: MemoryClient) => Promise<T>,
): Promise<T> {
  const server = serverUrl(options.server);
  const keys = await keysFor(server, options);
  const transport = new NodeTransport(server);
  try {
    for (const [index, key] of keys.entries()) {
      try {
        return await act(new MemoryClient({ server, key, transport }));
      } catch (error) {
        const isOver = error instanceof MemoryError && error.status === 401;
        if (!isOver || index === keys.length - 1) throw error;
      }
    }
    throw noKey(server);
  } catch (error) {
    throw failure(server, error);
  } finally {
    transport.close();
  }
}

/** The session, and behind it the key that opened it, in case the session is over. */
async function keysFor(server: string, { stdin }: MemoryCommandOptions): Promise<string[]> {
  if (stdin) return [await secretInput('API key')];
  const known = new CredentialsFile(credentialsPath(process.env)).of(server);
  if (!known) throw noKey(server);
  return [...(known.session_token === undefined ? [] : [known.session_token]), known.api_key];
}

const noKey = (server: string): CliError =>
  new CliError(
    'no_key',
    `parley: no key for ${server}; run "parley agent register", or hand over a key with --stdin`,
  );

/** The route's answer, unchanged with `--json`, else as the view shows it. */
export async function answered<Answer>(
  memory: MemoryClient,
  route: RouteDeclaration,
  request: object,
  { json }: MemoryCommandOptions,
  view: (page: Page, answer: Answer) => void,
): Promise<Answer> {
  const text = await memory.text(route, request);
  // An answer of this route; what the client would have made of it.
  const answer = JSON.parse(text) as Answer;
  if (json) {
    printLine(text);
    return answer;
  }
  const page = new Page(terminalOf(process.stdout, process.env));
  view(page, answer);
  printLine(page.toString());
  return answer;
}

const CODES: Readonly<Record<number, readonly [code: string, hint: string]>> = {
  401: [
    'unauthorized',
    'the key is not known there: run "parley agent login --stdin", or hand one over with --stdin',
  ],
  403: ['forbidden', 'the key does not have this right; its owner can make another with POST /v1/keys'],
  404: [
    'not_found',
    '"parley memory list --fallback --archived --cold" and "parley memory history" show what there is',
  ],
  413: ['too_large', ''],
  422: ['invalid_request', ''],
  429: ['rate_limited', ''],
};

function failure(server: string, error: unknown): unknown {
  if (error instanceof TransportError) {
    return new CliError('unreachable', `parley: no answer from ${server}${why(error.cause)}`, {
      hint: NO_SERVER,
      cause: error,
    });
  }
  if (!(error instanceof MemoryError)) return error;
  const { status, retryAfterSeconds: retry, code: own } = error;
  const [code, hint] = CODES[status] ?? [status >= 500 ? 'server_failed' : 'refused', ''];
  const said = harmlessLine(error.message);
  return new CliError(own ?? code, `parley: ${said}${hint === '' ? '' : `; ${hint}`}`, {
    exitCode: error.notFound ? EXIT.gone : EXIT.failed,
    details: { status, ...(retry !== undefined && { retry_after_sec: retry }) },
    cause: error,
  });
}
