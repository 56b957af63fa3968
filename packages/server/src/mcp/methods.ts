import { isObject } from '@parley/protocol/json';
import type { ToolGroup } from '@parley/protocol/tools/tool';
import type { About } from '../platform/http/service-routes.ts';
import { type Era, SUPPORTED_VERSIONS } from './eras.ts';
import { helpResult } from './help/help-method.ts';
import { HELP_PAGES } from './help/pages.ts';
import { negotiatedVersion } from './initialize.ts';
import { INSTRUCTIONS } from './instructions.ts';
import type { Loose } from './message.ts';
import { getPrompt, PROMPTS } from './prompts.ts';
import { listResources, readResource, RESOURCE_TEMPLATES } from './resources.ts';
import { invalidParams } from './rpc-error.ts';
import { callTool, type ToolCaller } from './tool-call.ts';
import { listedTools } from './tool-list.ts';
import { HOUR } from '../platform/units.ts';

/** A request that was let in: what it asks, and for whom. */
export interface MethodCall extends ToolCaller {
  readonly era: Era;
  readonly params: Loose;
  readonly about: About;
  /** Which tools it is shown. */
  groups(): readonly ToolGroup[];
  /** Whether the client itself has chosen them. */
  readonly hasChosen: boolean;
}

type Method = (call: MethodCall) => object | Promise<object>;

const CAPABILITIES = { tools: { listChanged: false }, resources: {}, prompts: {} };
const TOOLS_TTL_MS = 300_000;
const DISCOVERY_TTL_MS = HOUR;

/** What a modern client may keep, for how long, and whether for others too. */
const cached = ({ era }: MethodCall, ttlMs: number, cacheScope: 'public' | 'private'): object =>
  era === 'modern' ? { ttlMs, cacheScope } : {};

/** All of a list or an error: there is only one page. */
const whole =
  (list: Method): Method =>
  (call) => {
    const { cursor } = call.params;
    if (cursor !== undefined && cursor !== null && cursor !== '') throw invalidParams('unknown cursor');
    return list(call);
  };

const BOTH: Readonly<Record<string, Method>> = {
  'tools/list': whole((call) => ({
    tools: listedTools(call.groups()),
    ...cached(call, TOOLS_TTL_MS, call.hasChosen ? 'private' : 'public'),
  })),
  'tools/call': (call) => callTool(call, call.params),
  'resources/list': whole(async (call) => ({
    ...(await listResources(call)),
    ...cached(call, 0, 'private'),
  })),
  'resources/templates/list': whole((call) => ({
    resourceTemplates: RESOURCE_TEMPLATES,
    ...cached(call, TOOLS_TTL_MS, 'public'),
  })),
  'resources/read': async (call) => ({
    ...(await readResource(call, call.params.uri)),
    ...cached(call, 0, 'private'),
  }),
  'prompts/list': whole((call) => ({ prompts: PROMPTS, ...cached(call, TOOLS_TTL_MS, 'public') })),
  'prompts/get': (call) => getPrompt(call, call.params),
  ...Object.fromEntries(
    HELP_PAGES.map((page): [string, Method] => [page.route.name, ({ params }) => helpResult(page, params)]),
  ),
};

const ONLY: Readonly<Record<Era, Readonly<Record<string, Method>>>> = {
  legacy: {
    initialize: ({ params, about }) => ({
      protocolVersion: negotiatedVersion(params),
      capabilities: CAPABILITIES,
      serverInfo: { name: about.service, title: 'Parley', version: about.version },
      instructions: INSTRUCTIONS,
    }),
    ping: () => ({}),
  },
  modern: {
    'server/discover': (call) => ({
      supportedVersions: SUPPORTED_VERSIONS,
      capabilities: CAPABILITIES,
      instructions: INSTRUCTIONS,
      ...cached(call, DISCOVERY_TTL_MS, 'public'),
    }),
  },
};

/** Undefined where the era does not know the method. */
export const methodOf = (era: Era, name: string): Method | undefined => {
  const known = { ...BOTH, ...ONLY[era] };
  return Object.hasOwn(known, name) ? known[name] : undefined;
};

/** Of both eras. */
export const methodNames = (): string[] => [
  ...new Set([...Object.keys(BOTH), ...Object.keys(ONLY.legacy), ...Object.keys(ONLY.modern)]),
];

export function paramsFrom(params: unknown): Loose {
  if (params === undefined || params === null) return {};
  if (!isObject(params)) throw invalidParams('params must be an object');
  if (params._meta !== undefined && !isObject(params._meta)) throw invalidParams('_meta must be an object');
  return params;
}

/** A result as the era wants it. A modern one says that it is whole, and who gave it. */
export function resultFor(era: Era, about: About, result: object, meta: object = {}): object {
  if (era === 'legacy') return result;
  const serverInfo = { name: about.service, version: about.version };
  return {
    ...result,
    resultType: 'complete',
    _meta: { ...meta, 'io.modelcontextprotocol/serverInfo': serverInfo },
  };
}
