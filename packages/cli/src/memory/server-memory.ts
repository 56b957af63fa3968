import type { RouteDeclaration } from '@parley/protocol/route';
import { MemoryClient } from '@parley/sdk/memory/client';
import { MemoryError } from '@parley/sdk/memory/memory-error';
import { CliError, EXIT } from '../cli-error.ts';
import { printLine } from '../output.ts';
import { harmlessLine } from '../harmless.ts';
import { type ServerOptions, withServer } from '../with-server.ts';
import { Page } from './page.ts';
import { terminalOf } from './terminal.ts';

export type MemoryCommandOptions = ServerOptions;

/** Does something with the capsules of whoever we are on this server. */
export async function withMemory<T>(
  options: MemoryCommandOptions,
  act: (memory: MemoryClient) => Promise<T>,
): Promise<T> {
  try {
    return await withServer(options, (access) => act(new MemoryClient(access)));
  } catch (error) {
    throw failure(error);
  }
}

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

function failure(error: unknown): unknown {
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
