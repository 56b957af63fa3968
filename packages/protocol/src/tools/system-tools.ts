import { declareRoute } from '../route.ts';
import { capabilities } from '../rooms/routes.ts';
import type { ToolDeclaration } from './tool.ts';

const health = declareRoute({
  name: 'health',
  method: 'GET',
  path: '/health',
  auth: 'none',
  summary: 'Whether the server works.',
  success: 200,
});

/** About the server itself; nobody needs a token for them. */
export const SYSTEM_TOOLS: readonly ToolDeclaration[] = [
  {
    name: 'system.health',
    title: 'Server health',
    description: 'Whether the server works, its version and its time.',
    route: health,
    group: 'system',
    effect: 'reads',
  },
  {
    name: 'system.capabilities_v1',
    title: 'Features of the server',
    description: 'Features, endpoints and error codes of this server.',
    route: capabilities,
    group: 'system',
    effect: 'reads',
  },
];
