import { CONFIRM_DESTRUCTIVE, declareRoute } from '../route.ts';
import { DEVICE_LOGIN_ROUTES } from './device-login-routes.ts';
import {
  account,
  accountPatch,
  accountPatched,
  alertWebhookSecret,
  alertWebhookSecretRotated,
  keyList,
  keyRegenerated,
  keyRequest,
  madeKey,
  ownerRegistered,
  ownerRegistration,
  page,
  secretRotation,
  usage,
  webhookSecret,
  webhookSecretRotated,
  whoami,
} from './schemas.ts';

export const registerOwner = declareRoute({
  name: 'owner_register',
  method: 'POST',
  path: '/v1/auth/register',
  auth: 'none',
  summary: 'Create an owner; the owner-wide API key is shown once.',
  body: ownerRegistration,
  success: 201,
  answer: ownerRegistered,
});

export const readAccount = declareRoute({
  name: 'account_read',
  method: 'GET',
  path: '/v1/auth/me',
  auth: 'key',
  summary: 'The owner behind the key, its plan and its usage.',
  success: 200,
  answer: account,
});

export const readUsage = declareRoute({
  name: 'usage_read',
  method: 'GET',
  path: '/v1/usage',
  auth: 'key',
  summary: 'What the owner has used of its plan this month, and of what an account may have at a time.',
  success: 200,
  answer: usage,
});

export const patchAccount = declareRoute({
  name: 'account_update',
  method: 'PATCH',
  path: '/v1/auth/me',
  auth: 'owner',
  summary: 'Change email, alert webhook or, once, the owner slug.',
  body: accountPatch,
  success: 200,
  answer: accountPatched,
});

export const regenerateKey = declareRoute({
  name: 'key_regenerate',
  method: 'POST',
  path: '/v1/auth/key/regenerate',
  auth: 'owner',
  summary: 'Replace the calling key by a new one. Needs X-Confirm-Destructive.',
  headers: { [CONFIRM_DESTRUCTIVE]: 'true: it is meant.' },
  success: 200,
  answer: keyRegenerated,
});

export const readWebhookSecret = declareRoute({
  name: 'webhook_secret_read',
  method: 'GET',
  path: '/v1/auth/webhook-secret',
  auth: 'owner',
  summary: 'The secret that signs cue webhooks, made on first read.',
  success: 200,
  answer: webhookSecret,
});

export const rotateWebhookSecret = declareRoute({
  name: 'webhook_secret_regenerate',
  method: 'POST',
  path: '/v1/auth/webhook-secret/regenerate',
  auth: 'owner',
  summary: 'Replace the webhook secret. Needs X-Confirm-Destructive.',
  body: secretRotation,
  headers: { [CONFIRM_DESTRUCTIVE]: 'true: it is meant.' },
  success: 200,
  answer: webhookSecretRotated,
});

export const readAlertSecret = declareRoute({
  name: 'alert_webhook_secret_read',
  method: 'GET',
  path: '/v1/auth/alert-webhook-secret',
  auth: 'owner',
  summary: 'The secret that signs alert webhooks, made on first read.',
  success: 200,
  answer: alertWebhookSecret,
});

export const rotateAlertSecret = declareRoute({
  name: 'alert_webhook_secret_regenerate',
  method: 'POST',
  path: '/v1/auth/alert-webhook-secret/regenerate',
  auth: 'owner',
  summary: 'Replace the alert webhook secret. Needs X-Confirm-Destructive.',
  body: secretRotation,
  headers: { [CONFIRM_DESTRUCTIVE]: 'true: it is meant.' },
  success: 200,
  answer: alertWebhookSecretRotated,
});

export const createKey = declareRoute({
  name: 'key_create',
  method: 'POST',
  path: '/v1/keys',
  auth: 'owner',
  summary: 'Make a key for the owner or for one agent; it is shown once.',
  body: keyRequest,
  success: 201,
  answer: madeKey,
});

export const listKeys = declareRoute({
  name: 'key_list',
  method: 'GET',
  path: '/v1/keys',
  auth: 'owner',
  summary: 'The keys that are not revoked, newest first.',
  query: page,
  success: 200,
  answer: keyList,
});

export const revokeKey = declareRoute({
  name: 'key_revoke',
  method: 'DELETE',
  path: '/v1/keys/{id}',
  auth: 'owner',
  summary: 'Revoke a key at once; its sessions and open streams end.',
  success: 204,
});

export const whoAmI = declareRoute({
  name: 'whoami',
  method: 'GET',
  path: '/v1/whoami',
  auth: 'key',
  summary: 'Who the caller is, by which credential, with which scopes and namespaces.',
  success: 200,
  answer: whoami,
});

export const IDENTITY_ROUTES = [
  registerOwner,
  readAccount,
  readUsage,
  patchAccount,
  regenerateKey,
  readWebhookSecret,
  rotateWebhookSecret,
  readAlertSecret,
  rotateAlertSecret,
  createKey,
  listKeys,
  revokeKey,
  whoAmI,
  ...DEVICE_LOGIN_ROUTES,
] as const;
