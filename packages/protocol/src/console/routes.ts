import { CONSOLE_CHANNEL_ROUTES } from './channel-routes.ts';
import { CONSOLE_ROOM_ROUTES } from './room-routes.ts';
import { ACTION_ROUTES } from './action-routes.ts';
import { KEPT_ROUTES } from './kept-routes.ts';
import { SESSION_ROUTES } from './session-routes.ts';
import { CONSOLE_SYSTEM_ROUTES } from './system-routes.ts';
import { CONSOLE_WEBHOOK_ROUTES } from './webhook-routes.ts';
import { VIEW_ROUTES } from './view-routes.ts';

/** Every route of the console, for the tables and documents made from them. */
export const CONSOLE_ROUTES = [
  ...SESSION_ROUTES,
  ...VIEW_ROUTES,
  ...CONSOLE_ROOM_ROUTES,
  ...CONSOLE_CHANNEL_ROUTES,
  ...KEPT_ROUTES,
  ...ACTION_ROUTES,
  ...CONSOLE_SYSTEM_ROUTES,
  ...CONSOLE_WEBHOOK_ROUTES,
] as const;
