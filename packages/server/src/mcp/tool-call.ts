import { isObject } from '@parley/protocol/json';
import { pathArguments } from '@parley/protocol/tools/input-schema';
import { needsToken, type ToolDeclaration } from '@parley/protocol/tools/tool';
import { toolNamed } from '@parley/protocol/tools/tools';
import { SELF_SLUG } from '@parley/protocol/identity/slug';
import type { Caller } from '../wire/caller.ts';
import { problemsOf } from './arguments.ts';
import type { RouteAnswer, RouteCall } from './inner-call.ts';
import type { Loose } from './message.ts';
import { invalidParams, unauthorized } from './rpc-error.ts';
import { scheduleDetail } from './schedule-detail.ts';

export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: object;
  readonly isError: boolean;
}

/** Who calls a tool, and how its route is reached. */
export interface ToolCaller {
  readonly caller: Caller | undefined;
  ask(call: RouteCall): Promise<RouteAnswer>;
}

export async function callTool(from: ToolCaller, params: Loose): Promise<ToolResult> {
  const { name, arguments: given = {} } = params;
  if (typeof name !== 'string' || name.trim() === '') throw invalidParams('name is required');
  if (!isObject(given)) throw invalidParams('arguments must be an object', { name });
  const tool = toolNamed(name);
  if (!tool) throw invalidParams('unknown tool', { name });
  const problems = await problemsOf(tool, given);
  if (problems.length > 0) {
    return failed(422, tool.group === 'schedule' ? scheduleDetail(name, given, problems) : problems);
  }
  if (needsToken(tool) && !from.caller) throw unauthorized();
  const { status, body } = await from.ask(routeCallOf(tool, given, from.caller));
  if (status === 401) throw unauthorized();
  if (status < 400) return told(body, false);
  return status === 500 ? failed(500, 'internal error') : failed(status, body.detail ?? body);
}

function told(structuredContent: object, isError: boolean): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent, isError };
}

const failed = (status: number, detail: unknown): ToolResult => told({ ok: false, status, detail }, true);

/** The arguments in the places of the route: path, headers, query and body. */
function routeCallOf(tool: ToolDeclaration, given: Loose, caller?: Caller): RouteCall {
  const { route, headers = {}, renamed = {} } = tool;
  const inPath = pathArguments(tool);
  const taken = new Set([...inPath.map(([argument]) => argument), ...Object.keys(headers)]);
  const own = caller?.agent?.slug ?? SELF_SLUG;
  const params = inPath.map(([argument, parameter]) => [parameter, textOf(given[argument] ?? own)]);
  const sent = Object.entries(headers).flatMap(([argument, header]) =>
    given[argument] === undefined ? [] : [[header, textOf(given[argument])]],
  );
  const known = new Map(Object.entries(renamed).map(([name, shown]) => [shown, name]));
  const rest = Object.entries(given).flatMap(([argument, value]) =>
    taken.has(argument) ? [] : [[known.get(argument) ?? argument, value] as const],
  );
  return {
    route,
    params: Object.fromEntries(params),
    headers: Object.fromEntries(sent),
    ...(route.body ? { body: Object.fromEntries(rest) } : { query: queryOf(rest) }),
  };
}

const queryOf = (values: readonly (readonly [string, unknown])[]): Record<string, string> =>
  Object.fromEntries(values.flatMap(([name, value]) => (value == null ? [] : [[name, textOf(value)]])));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
