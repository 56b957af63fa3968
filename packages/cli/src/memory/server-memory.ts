import { MEMORY_ERRORS } from '@parley/protocol/continuity/errors';
import type { RouteDeclaration } from '@parley/protocol/route';
import { MemoryClient } from '@parley/sdk/memory/client';
import { MemoryError, memoryError } from '@parley/sdk/memory/memory-error';
import { memoryCaller } from '@parley/sdk/memory/memory-caller';
import type { CallerOptions, RouteCaller, RouteInput } from '@parley/sdk/route-caller';
import { CliError } from '../cli-error.ts';
import { printJson, printJsonText, printPage } from '../output.ts';
import { harmlessLine } from '../harmless.ts';
import { toldByServer } from '../told-by-server.ts';
import { type ServerOptions, withServer } from '../with-server.ts';
import { Page } from './page.ts';
import { terminalOf } from './terminal.ts';

export type MemoryCommandOptions = ServerOptions;

/** Does something with the capsules of whoever we are on this server. */
export function withMemory<T>(
  options: MemoryCommandOptions,
  act: (memory: MemoryClient) => Promise<T>,
): Promise<T> {
  return withKey(options, (known) => act(new MemoryClient(known)), CAPSULES);
}

/** The same with what is no capsule. */
export function withCaller<T>(
  options: MemoryCommandOptions,
  act: (caller: RouteCaller) => Promise<T>,
): Promise<T> {
  return withKey(options, (known) => act(memoryCaller(known)));
}

async function withKey<T>(
  options: MemoryCommandOptions,
  act: (known: CallerOptions) => Promise<T>,
  whatThereIs = '',
): Promise<T> {
  try {
    return await withServer(options, act);
  } catch (error) {
    throw failure(error, whatThereIs);
  }
}

const CAPSULES =
  '"parley memory list --fallback --archived --cold" and "parley memory history" show what there is';

/** The route's answer, unchanged with `--json` (or, of a list, its rows one by one), else as the view shows it. */
export async function answered<Answer>(
  memory: MemoryClient,
  route: RouteDeclaration,
  request: object,
  { json }: MemoryCommandOptions,
  view: (page: Page, answer: Answer) => void,
  rows?: (answer: Answer) => readonly object[],
): Promise<Answer> {
  return print(await memory.text(route, request), json, view, rows);
}

/** The same of any route. */
export async function shown<Answer>(
  caller: RouteCaller,
  route: RouteDeclaration,
  input: RouteInput,
  { json }: MemoryCommandOptions,
  view: (page: Page, answer: Answer) => void,
  rows?: (answer: Answer) => readonly object[],
): Promise<Answer> {
  return print(await caller.text(route, input), json, view, rows);
}

function print<Answer>(
  text: string,
  json: boolean | undefined,
  view: (page: Page, answer: Answer) => void,
  rows?: (answer: Answer) => readonly object[],
): Answer {
  // An answer of this route; what the client would have made of it.
  const answer = JSON.parse(text) as Answer;
  if (json) {
    if (rows) for (const row of rows(answer)) printJson(row);
    else printJsonText(text);
    return answer;
  }
  printView((page) => view(page, answer));
  return answer;
}

/** What was put together from several answers. */
export function printView(view: (page: Page) => void): void {
  const page = new Page(terminalOf(process.stdout, process.env));
  view(page);
  printPage(page);
}

/** Who the key speaks for among the owner's peers. */
export async function peerIdOf({ transport, headers }: RouteCaller): Promise<string> {
  const answer = await transport.request({
    method: 'GET',
    path: '/v1/whoami',
    headers,
    timeoutMs: WHOAMI_MS,
  });
  if (answer.status !== 200) throw memoryError(answer);
  const { peer_id: peer } = JSON.parse(answer.body) as { peer_id: string };
  return peer;
}

const WHOAMI_MS = 15_000;

const CODES: Readonly<Record<number, readonly [code: string, hint: string]>> = {
  401: ['unauthorized', 'the key is not known there: run "parley login", or hand one over with --stdin'],
  403: [
    'forbidden',
    'the key does not have this right; its owner can make another with "parley agent keys create"',
  ],
  404: ['not_found', ''],
  409: ['refused', MEMORY_ERRORS.conflict.told],
  413: ['too_large', MEMORY_ERRORS.payload_too_large.told],
  422: ['invalid_request', ''],
  429: ['rate_limited', MEMORY_ERRORS.rate_limited.told],
};

/** Where the word of the refusal says more than its status. */
const WORDS: Readonly<Record<string, string>> = {
  invalid_path: 'a path is relative, without ".." and what could be read as that: projects/tides/plan.md',
  path_managed:
    'tasks, reminders, handoffs and capsules have commands of their own; "parley --help" names them',
  peer_not_found:
    '"parley agent list" shows the agents there are; one needs a key of its own to be given something',
  peer_untrusted: MEMORY_ERRORS.peer_untrusted.told,
  handoff_already_consumed: MEMORY_ERRORS.handoff_already_consumed.told,
  shared_version_conflict: MEMORY_ERRORS.shared_version_conflict.told,
};

function failure(error: unknown, whatThereIs: string): unknown {
  if (!(error instanceof MemoryError)) return error;
  const { status, retryAfterSeconds, code: own, body } = error;
  const [code, usual] = CODES[status] ?? [status >= 500 ? 'server_failed' : 'refused', ''];
  const hint = WORDS[own ?? ''] ?? (error.notFound ? whatThereIs : usual);
  const said = harmlessLine(error.message);
  return new CliError(own ?? code, `parley: ${said}`, {
    hint: hint === '' ? undefined : hint,
    details: toldByServer(status, body, retryAfterSeconds),
    cause: error,
  });
}
