/** The secrets of the identity model, told apart by their form alone. */
export type CredentialForm = 'agent_key' | 'owner_key' | 'session';

/** Random bytes behind each secret. */
export const AGENT_KEY_BYTES = 24;
export const SESSION_BYTES = 24;
export const OWNER_KEY_BYTES = 16;
export const INVITE_BYTES = 18;

export const AGENT_KEY_PREFIX = 'ak_';
export const OWNER_KEY_PREFIX = 'cue_sk_';
export const SESSION_PREFIX = 'as_';
export const INVITE_PREFIX = 'inv_';
export const WEBHOOK_SECRET_PREFIX = 'whsec_';

/** How much of a key is shown in lists, so that its owner recognises it. */
export const SHOWN_KEY_LENGTH = 12;

export const SESSION_LIFETIME_MS = 14 * 24 * 3_600_000;
/** How long a rotated key is told apart from one that never was. */
export const ROTATED_NOTICE_MS = 24 * 3_600_000;

const FORMS: readonly (readonly [CredentialForm, RegExp])[] = [
  ['session', /^as_[A-Za-z0-9_-]{32}$/],
  ['agent_key', /^ak_[A-Za-z0-9_-]{32}$/],
  ['owner_key', /^cue_sk_[0-9a-f]{32}$/],
];

/** Undefined for anything the server never issues: that needs no look into the store. */
export function credentialForm(text: string): CredentialForm | undefined {
  return FORMS.find(([, form]) => form.test(text))?.[0];
}
