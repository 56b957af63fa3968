import { z } from 'zod';
import { declareRoute } from '../route.ts';
import { invite, ownerRegistration } from './schemas.ts';

/** Logging in on a command line through a browser. */
export const DEVICE_LOGIN_STATUSES = ['pending', 'email_sent', 'approved', 'claimed', 'expired'] as const;
export type DeviceLoginStatus = (typeof DEVICE_LOGIN_STATUSES)[number];

export const DEVICE_LOGIN_SECONDS = 900;
export const DEVICE_SESSION_MS = 24 * 3_600_000;
export const DEVICE_SESSION_PREFIX = 'dl_';

export const deviceCode = z
  .string()
  .min(6)
  .max(128)
  .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces');
const token = z.string().min(1, 'must not be empty').max(128);
const status = z.enum(DEVICE_LOGIN_STATUSES);

export const deviceCodeCreate = declareRoute({
  name: 'device_code_create',
  method: 'POST',
  path: '/v1/auth/device-code',
  auth: 'none',
  summary: 'Begin a login on a command line; the answer says which page to open in a browser.',
  body: z.object({ device_code: deviceCode }),
  success: 201,
  answer: z.object({ verification_url: z.string(), expires_in: z.int() }),
});

export const deviceCodePoll = declareRoute({
  name: 'device_code_poll',
  method: 'POST',
  path: '/v1/auth/device-code/poll',
  auth: 'none',
  summary: 'How far the login is; once it is approved, the key, one time.',
  body: z.object({ device_code: deviceCode }),
  success: 200,
  answer: z.object({
    status,
    api_key: z.string().optional(),
    email: z.string().optional(),
    session_token: z.string().optional(),
    existing_user: z.boolean().optional(),
  }),
});

export const deviceCodeSubmitEmail = declareRoute({
  name: 'device_code_submit_email',
  method: 'POST',
  path: '/v1/auth/device-code/submit-email',
  auth: 'none',
  summary: 'Name the account; a link goes to its address.',
  body: z.object({ device_code: deviceCode, email: ownerRegistration.shape.email, invite }),
  success: 200,
  answer: z.object({ status }),
});

export const deviceLoginPage = declareRoute({
  name: 'device_login_page',
  method: 'GET',
  path: '/v1/auth/verify',
  auth: 'none',
  summary: 'The page for people: asks for the address, or with the token of the link for approval.',
  query: z.object({ device_code: z.string().max(128).optional(), token: z.string().max(128).optional() }),
  success: 200,
  media: 'text/html',
});

export const deviceLoginForm = declareRoute({
  name: 'device_login_form',
  method: 'POST',
  path: '/v1/auth/verify',
  auth: 'none',
  summary: 'What that page sends.',
  body: z.object({
    device_code: z.string().max(128).optional(),
    email: z.string().max(254).optional(),
    token: z.string().max(128).optional(),
    invite,
  }),
  success: 200,
  media: 'text/html',
});

export const sessionOpen = declareRoute({
  name: 'login_session_open',
  method: 'POST',
  path: '/v1/auth/session',
  auth: 'none',
  summary: 'Approve a login with the token of its link.',
  body: z.object({ token, invite }),
  success: 200,
  answer: z.object({ session_token: z.string(), email: z.string() }),
});

export const sessionKey = declareRoute({
  name: 'login_session_key',
  method: 'GET',
  path: '/v1/auth/key',
  auth: 'login session',
  summary: 'The key of an approved login, until the command line has fetched it.',
  success: 200,
  answer: z.object({ api_key: z.string() }),
});

export const DEVICE_LOGIN_ROUTES = [
  deviceCodeCreate,
  deviceCodePoll,
  deviceCodeSubmitEmail,
  deviceLoginPage,
  deviceLoginForm,
  sessionOpen,
  sessionKey,
] as const;
