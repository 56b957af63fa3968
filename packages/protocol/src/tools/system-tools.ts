import * as about from '../discovery/routes.ts';
import { capabilities } from '../rooms/routes.ts';
import type { RouteDeclaration } from '../route.ts';
import { health } from '../service/routes.ts';
import type { ToolDeclaration } from './tool.ts';

const tool = (
  name: string,
  title: string,
  description: string,
  route: RouteDeclaration,
): ToolDeclaration => ({
  name,
  title,
  description,
  route,
  group: 'system',
  effect: 'reads',
});

/** About the server itself; nobody needs a token for them. */
export const SYSTEM_TOOLS: readonly ToolDeclaration[] = [
  tool('system.health', 'Server health', 'Whether the server works, its version and its time.', health),
  tool(
    'system.capabilities',
    'Names of features',
    'The names of the features of this server.',
    about.features,
  ),
  tool(
    'system.capabilities_v1',
    'Features of the server',
    'Features, endpoints and error codes of this server.',
    capabilities,
  ),
  tool(
    'system.manifest',
    'Manifest',
    'Every call that is served, and what a key needs for it.',
    about.manifest,
  ),
  tool(
    'system.contracts',
    'Contracts',
    'The version of the contract, what may change in it, and a hash of all tools.',
    about.contracts,
  ),
  tool(
    'system.discovery',
    'Discovery',
    'Where to begin with this server, and what it speaks.',
    about.discovery,
  ),
  tool(
    'system.discovery_tools',
    'All tools',
    'Every tool with the call it makes and its schema.',
    about.discoveryTools,
  ),
  tool(
    'system.discovery_workflows',
    'Workflows',
    'Tools in the order in which they lead somewhere.',
    about.discoveryWorkflows,
  ),
];
