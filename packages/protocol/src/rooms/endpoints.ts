import { AGENT_ROUTES } from '../identity/agent-routes.ts';
import type { RouteDeclaration } from '../route.ts';
import { ROOM_ROUTES } from './routes.ts';

/** One row of `/v1/capabilities` and of the table in `/skill.md`. */
export interface Endpoint {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly auth: string;
  readonly supported: boolean;
  readonly status_if_called?: number;
  readonly error?: string;
  readonly hint?: string;
}

const [mode, capabilities, ...others] = ROOM_ROUTES;
const [register, login, ...otherAgentRoutes] = AGENT_ROUTES;

/** Every route of the rooms protocol, identity's part of it included. */
export const ALL_ROOMS_ROUTES: readonly RouteDeclaration[] = [
  mode,
  capabilities,
  register,
  login,
  ...others,
  ...otherAgentRoutes,
];

export const ENDPOINTS: readonly Endpoint[] = ALL_ROOMS_ROUTES.map(endpoint);

function endpoint({ name, method, path, auth, unsupported }: RouteDeclaration): Endpoint {
  const shown = { name, method, path, auth, supported: unsupported === undefined };
  if (!unsupported) return shown;
  const { status, error, hint } = unsupported;
  return { ...shown, status_if_called: status, error, hint };
}
