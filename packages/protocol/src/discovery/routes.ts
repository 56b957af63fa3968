import { z } from 'zod';
import { declareRoute } from '../route.ts';

/* What a client asks before it asks for anything else. Nobody needs a token for it, and everybody is told the same. */

const texts = z.array(z.string());
const object = z.record(z.string(), z.unknown());
const ok = z.literal(true);
const auth = z.object({ type: z.literal('bearer'), header: z.string() });
const endpoint = z.object({ path: z.string(), status: z.int(), allow: z.string() });

const discover = <Answer extends z.ZodType>(name: string, path: string, summary: string, answer: Answer) =>
  declareRoute({ name, method: 'GET', path, auth: 'none', summary, success: 200, answer });

const overview = z.object({
  ok,
  protocol: z.object({
    name: z.string(),
    style: z.string(),
    version: z.string(),
    transport: z.string(),
    mcp_protocol_version: z.string(),
    supported_mcp_protocol_versions: texts,
    post_endpoint: z.object({ path: z.string(), method: z.string(), posture: z.string() }),
    get_endpoint: endpoint,
  }),
  auth,
  entrypoints: z.record(z.string(), z.string()),
  agent_guidance: z.object({
    first_calls: texts,
    mcp_first_calls: texts,
    loop_hint: z.string(),
    write_hint: z.string(),
  }),
  counts: z.object({ tools: z.int(), workflows: z.int() }),
});

export const discovery = discover('system.discovery', '/v1/discovery', 'Where to begin.', overview);

const wellKnown = discover(
  'system.discovery_well_known',
  '/.well-known/cognirelay.json',
  'The same as /v1/discovery, where clients look first.',
  overview,
);

export const discoveryTools = discover(
  'system.discovery_tools',
  '/v1/discovery/tools',
  'Every tool with the call it makes and the schema of what it takes.',
  z.object({
    ok,
    protocol: z.object({ name: z.string(), style: z.string(), version: z.string() }),
    count: z.int(),
    tools: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        method: z.string(),
        path: z.string(),
        scopes: texts,
        idempotent: z.boolean(),
        input_schema: object,
        local_only: z.boolean().optional(),
      }),
    ),
  }),
);

export const discoveryWorkflows = discover(
  'system.discovery_workflows',
  '/v1/discovery/workflows',
  'Tools in the order in which they lead somewhere.',
  z.object({
    ok,
    count: z.int(),
    workflows: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        steps: z.array(z.object({ order: z.int(), tool: z.string() })),
      }),
    ),
  }),
);

export const manifest = discover(
  'system.manifest',
  '/v1/manifest',
  'Every call that is served, and what a key needs for it.',
  z.object({
    service: z.string(),
    version: z.string(),
    auth,
    endpoints: z.record(
      z.string(),
      z.object({ name: z.string(), scope: z.string().nullable(), summary: z.string() }),
    ),
  }),
);

export const contracts = discover(
  'system.contracts',
  '/v1/contracts',
  'The version of the contract, what may change in it, and a hash of all tools.',
  z.object({
    ok,
    contract_version: z.string(),
    compatibility: z.object({ policy: z.string(), breaking_change_rule: z.string() }),
    tool_catalog_hash: z.string(),
  }),
);

export const features = discover(
  'system.capabilities',
  '/capabilities',
  'The names of the features there are.',
  z.object({ features: texts }),
);

export const wellKnownMcp = discover(
  'mcp_well_known',
  '/.well-known/mcp.json',
  'Where and how MCP is spoken.',
  z.object({
    ok,
    protocol: z.literal('jsonrpc-2.0'),
    transport: z.string(),
    endpoint: z.string(),
    contract_version: z.string(),
    mcp_protocol_version: z.string(),
    supported_mcp_protocol_versions: texts,
    supplemental: z.literal(true),
    get_endpoint: endpoint,
    methods: texts,
    auth,
  }),
);

export const wellKnownCatalog = discover(
  'ai_catalog',
  '/.well-known/ai-catalog.json',
  'What this server offers to agents, and where each is described.',
  z.object({
    name: z.string(),
    description: z.string(),
    version: z.string(),
    documents: z.array(z.object({ type: z.string(), url: z.string(), description: z.string() })),
  }),
);

export const DISCOVERY_ROUTES = [
  discovery,
  wellKnown,
  discoveryTools,
  discoveryWorkflows,
  manifest,
  contracts,
  features,
  wellKnownMcp,
  wellKnownCatalog,
] as const;
