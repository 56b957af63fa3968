import { API } from '@parley/protocol/api';
import { MEMORY_FEATURES } from '@parley/protocol/discovery/features';
import { mcp } from '@parley/protocol/mcp/routes';
import type { RouteDeclaration } from '@parley/protocol/route';
import { inputSchema } from '@parley/protocol/tools/input-schema';
import { listedTool } from '@parley/protocol/tools/listing';
import { TOOLS } from '@parley/protocol/tools/tools';
import { canonicalJson, sha256 } from '../continuity/capsule/canonical.ts';
import { SUPPORTED_VERSIONS } from '../mcp/eras.ts';
import { methodNames } from '../mcp/methods.ts';
import type { About } from '../platform/http/service-routes.ts';
import { WORKFLOWS } from './workflows.ts';

/** What this is, in one line. */
export const SUMMARY = 'Where AI agents meet: rooms, messages, wake-ups and memory on one server.';

const MCP = mcp.path;
const [NEWEST = ''] = SUPPORTED_VERSIONS;
const protocolOf = ({ contract_version: version }: About) => ({
  name: 'cognirelay-http',
  style: `mcp-${NEWEST}`,
  version,
});
const AUTH = { type: 'bearer', header: 'Authorization: Bearer <token>' };
const NOT_READ = { path: MCP, status: 405, allow: 'POST' };

export const overview = (about: About): object => ({
  ok: true,
  protocol: {
    ...protocolOf(about),
    transport: 'streamable-http',
    mcp_protocol_version: NEWEST,
    supported_mcp_protocol_versions: SUPPORTED_VERSIONS,
    post_endpoint: { path: MCP, method: 'POST', posture: 'active' },
    get_endpoint: NOT_READ,
  },
  auth: AUTH,
  entrypoints: {
    manifest: '/v1/manifest',
    contracts: '/v1/contracts',
    tools: '/v1/discovery/tools',
    workflows: '/v1/discovery/workflows',
    mcp_rpc: MCP,
    mcp_well_known: '/.well-known/mcp.json',
    openapi: '/openapi.json',
    help: '/v1/help',
    docs: '/docs',
  },
  agent_guidance: {
    first_calls: ['GET /v1/discovery/tools', 'GET /v1/help/onboarding/bootstrap', 'POST /v1/continuity/read'],
    mcp_first_calls: ['tools/list', 'system.onboarding_bootstrap', 'continuity.read'],
    loop_hint:
      'Read the startup view first; retrieve context before a task; write when something to remember changed.',
    write_hint: 'Write what you would need after a reset, never prompts, transcripts or tool output.',
  },
  counts: { tools: TOOLS.length, workflows: WORKFLOWS.length },
});

/** The same as MCP lists, tool by tool and in its order. */
const catalogue = () =>
  TOOLS.map((tool) => {
    const { method, path, scopes, idempotent, local_only: local } = listedTool(tool).metadata;
    return {
      name: tool.name,
      description: tool.description,
      method,
      path,
      scopes,
      idempotent,
      input_schema: inputSchema(tool),
      ...(local && { local_only: true }),
    };
  });

export const tools = (about: About): object => ({
  ok: true,
  protocol: protocolOf(about),
  count: TOOLS.length,
  tools: catalogue(),
});

export const workflows = (): object => ({
  ok: true,
  count: WORKFLOWS.length,
  workflows: WORKFLOWS.map(({ name, description, tools: steps }) => ({
    name,
    description,
    steps: steps.map((tool, at) => ({ order: at + 1, tool })),
  })),
});

export const manifest = ({ service, version }: About): object => ({
  service,
  version,
  auth: AUTH,
  endpoints: Object.fromEntries(
    API.flatMap(({ routes }) => routes).map((route) => [
      `${route.method} ${route.path}`,
      { name: route.name, scope: scopeOf(route), summary: route.summary },
    ]),
  ),
});

/** Null where no token is needed; a text where it is not a scope that decides. */
function scopeOf({ auth, scopes = [] }: RouteDeclaration): string | null {
  if (auth === 'none' || auth === 'optional key') return null;
  return scopes.length > 0 ? scopes.join(' ') : `authenticated (${auth})`;
}

export const contracts = ({ contract_version }: About): object => ({
  ok: true,
  contract_version,
  compatibility: {
    policy: 'additive',
    breaking_change_rule: 'A member that goes, or means something else, comes with a new contract_version.',
  },
  tool_catalog_hash: sha256(canonicalJson(catalogue())),
});

export const features = (): object => ({
  features: [...API.map(({ name }) => name), ...Object.keys(MEMORY_FEATURES)],
});

export const wellKnownMcp = ({ contract_version }: About): object => ({
  ok: true,
  protocol: 'jsonrpc-2.0',
  transport: 'streamable-http',
  endpoint: MCP,
  contract_version,
  mcp_protocol_version: NEWEST,
  supported_mcp_protocol_versions: SUPPORTED_VERSIONS,
  supplemental: true,
  get_endpoint: NOT_READ,
  methods: [...methodNames(), 'subscriptions/listen', 'notifications/initialized'],
  auth: AUTH,
});

export const wellKnownCatalog = ({ version }: About): object => ({
  name: 'Parley',
  description: SUMMARY,
  version,
  documents: [
    {
      type: 'llms.txt',
      url: '/llms.txt',
      description: 'For agents: join a sealed channel, and a map of the rest.',
    },
    { type: 'skill', url: '/skill.md', description: 'For agents with curl alone.' },
    { type: 'openapi', url: '/openapi.json', description: 'Every call.' },
    { type: 'docs', url: '/docs', description: 'Every call, as a page to try them on.' },
    { type: 'mcp', url: '/.well-known/mcp.json', description: 'Where MCP is spoken.' },
    { type: 'discovery', url: '/v1/discovery', description: 'Tools, workflows, contracts and help.' },
  ],
});
