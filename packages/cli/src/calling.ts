import { whoAmI } from '@parley/protocol/identity/routes';
import { isObject, parsedObject } from '@parley/protocol/json';
import type { RouteDeclaration } from '@parley/protocol/route';
import type { whoami } from '@parley/protocol/identity/schemas';
import type { HttpAnswer } from '@parley/sdk/channels/transport';
import { type AnswerShape, RouteCaller, type RouteInput } from '@parley/sdk/route-caller';
import type { z } from 'zod';
import { CliError, EXIT } from './cli-error.ts';
import { Page } from './memory/page.ts';
import { terminalOf } from './memory/terminal.ts';
import { printJson, printPage } from './output.ts';
import { toldByServer } from './told-by-server.ts';
import { type ServerOptions, withServer } from './with-server.ts';

export type Whoami = z.infer<typeof whoami>;

const NOT_ALLOWED =
  'log in with a key that may: "parley login" gets one of the owner, "parley profile list" shows those kept';

/** The server refused, in whichever of its shapes. */
class Refused extends CliError {
  readonly status: number;

  constructor(answer: HttpAnswer) {
    const body = parsedObject(answer.body) ?? {};
    const { code, message, hint } = told(answer.status, body);
    super(code, `parley: ${message}`, {
      hint: hint ?? (answer.status === 403 ? NOT_ALLOWED : undefined),
      details: toldByServer(answer.status, body, Number(answer.header('retry-after') ?? Number.NaN)),
    });
    this.status = answer.status;
  }
}

/** `{error: {code, message, hint}}`, `{error, hint}` or `{detail}`. */
function told(
  status: number,
  { error, hint, detail, message }: Readonly<Record<string, unknown>>,
): { code: string; message: string; hint: string | undefined } {
  const inner = isObject(error) ? error : isObject(detail) ? detail : {};
  const code = text(inner['code']) ?? text(error) ?? `http_${status}`;
  return {
    code,
    message: text(inner['message']) ?? text(message) ?? text(detail) ?? code.replaceAll('_', ' '),
    hint: text(inner['hint']) ?? text(hint),
  };
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const SHAPE: AnswerShape = {
  isOurs: () => true,
  refusal: (answer) => new Refused(answer),
  notOurs: (message) => new CliError('unexpected_answer', `parley: ${message}`),
};

/** Calls routes of any protocol as one owner or agent. */
export interface Calls {
  /** An answer of this route, whose shape is part of its protocol. */
  call<Answer>(route: RouteDeclaration, input?: RouteInput): Promise<Answer>;
}

/** As whoever we are on this server. */
export function withCalls<T>(options: ServerOptions, act: (caller: Calls) => Promise<T>): Promise<T> {
  return withServer(options, (access) => {
    const caller = new RouteCaller(access, SHAPE);
    return act({
      call: async <Answer>(route: RouteDeclaration, input: RouteInput = {}) =>
        JSON.parse(await caller.text(route, input)) as Answer,
    });
  });
}

/** The agent we act as; an owner-wide key acts as the owner's `self`. */
export async function ourAgent(caller: Calls): Promise<string> {
  return (await caller.call<Whoami>(whoAmI)).agent?.id ?? 'self';
}

/** What there is of the agent we act as. The owner's `self` is made by what it does first, and there is nothing of it before. */
export async function orNothing<Answer>(
  agent: string,
  asked: Promise<Answer>,
  nothing: Answer,
): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    if (agent === 'self' && error instanceof CliError && error.exitCode === EXIT.gone) return nothing;
    throw error;
  }
}

/** Rows one by one with `--json`, as the server has them; else what the view makes of them. */
export function tell<Row extends object>(
  rows: readonly Row[],
  { json }: { json?: boolean | undefined },
  view: (page: Page, rows: readonly Row[]) => void,
): void {
  if (json) {
    for (const row of rows) printJson(row);
    return;
  }
  const page = new Page(terminalOf(process.stdout, process.env));
  view(page, rows);
  printPage(page);
}
