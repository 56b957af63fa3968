import { DIRECTORY_ROUTES } from './agent-routes.ts';
import { DELIVERY_SERVICE_ROUTES } from './service-routes.ts';
import { ALERT_ROUTES } from './alert-routes.ts';
import { agentCard } from './card-routes.ts';
import { CUE_ROUTES } from './cue-routes.ts';
import { EVENT_ROUTES } from './event-routes.ts';
import { EXECUTION_ROUTES } from './execution-routes.ts';
import { LIVE_SESSION_ROUTES } from './live-session-routes.ts';
import { MESSAGE_ROUTES } from './message-routes.ts';
import { WAKE_ROUTES } from './wake-routes.ts';

/** Every route of the delivery protocol, for the tables and documents made from them. */
export const DELIVERY_ROUTES = [
  ...DIRECTORY_ROUTES,
  ...LIVE_SESSION_ROUTES,
  ...MESSAGE_ROUTES,
  ...WAKE_ROUTES,
  ...EXECUTION_ROUTES,
  ...CUE_ROUTES,
  ...EVENT_ROUTES,
  ...ALERT_ROUTES,
  ...DELIVERY_SERVICE_ROUTES,
  agentCard,
] as const;
