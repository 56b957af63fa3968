import {
  AGENT_KEY_PREFIX,
  INVITE_PREFIX,
  OWNER_KEY_PREFIX,
  SESSION_PREFIX,
  WEBHOOK_SECRET_PREFIX,
} from './identity/credentials.ts';
import { DEVICE_SESSION_PREFIX } from './identity/device-login-routes.ts';
import { CONSOLE_CODE_PREFIX, CONSOLE_SESSION_PREFIX } from './console/session-routes.ts';
import { HUMAN_CODE_PREFIX, ROOM_TOKEN_PREFIX, VIEWER_PREFIX } from './rooms/secrets.ts';

/** How the secrets that name themselves begin: no log line shows what follows. */
export const SECRET_PREFIXES: readonly string[] = [
  AGENT_KEY_PREFIX,
  OWNER_KEY_PREFIX,
  SESSION_PREFIX,
  INVITE_PREFIX,
  WEBHOOK_SECRET_PREFIX,
  DEVICE_SESSION_PREFIX,
  ROOM_TOKEN_PREFIX,
  HUMAN_CODE_PREFIX,
  VIEWER_PREFIX,
  CONSOLE_SESSION_PREFIX,
  CONSOLE_CODE_PREFIX,
];
