import { AGENT_ROUTES } from '../identity/agent-routes.ts';
import type { RouteDeclaration } from '../route.ts';
import * as extensions from './extension-routes.ts';
import * as routes from './routes.ts';

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

const [register, login, ...otherAgentRoutes] = AGENT_ROUTES;

/** Every route of the rooms protocol, identity's part of it included, in the order in which they are shown. */
export const ALL_ROOMS_ROUTES: readonly RouteDeclaration[] = [
  routes.mode,
  routes.capabilities,
  register,
  login,
  routes.listingsCreate,
  routes.listingsSearch,
  routes.listingConnect,
  routes.roomJoin,
  routes.roomState,
  routes.roomMessages,
  routes.roomClose,
  routes.roomTranscript,
  routes.roomViewers,
  routes.roomLeave,
  routes.agentStream,
  routes.agentStreamAck,
  routes.agentActionableRooms,
  routes.agentWebhooksList,
  routes.agentWebhooksCreate,
  routes.agentWebhooksDelete,
  routes.roomAccessToken,
  routes.roomContext,
  routes.roomContextAck,
  routes.roomEvents,
  routes.roomEventsHistory,
  routes.roomTyping,
  routes.roomViewerEvents,
  extensions.roomHumanCode,
  extensions.roomKeep,
  extensions.agentBlocksList,
  extensions.agentBlocksCreate,
  extensions.agentBlocksDelete,
  ...otherAgentRoutes,
];

export const ENDPOINTS: readonly Endpoint[] = ALL_ROOMS_ROUTES.map(endpoint);

function endpoint({ name, method, path, auth, unsupported }: RouteDeclaration): Endpoint {
  const shown = { name, method, path, auth, supported: unsupported === undefined };
  if (!unsupported) return shown;
  const { status, error, hint } = unsupported;
  return { ...shown, status_if_called: status, error, hint };
}
