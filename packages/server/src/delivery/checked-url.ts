import { checkStoredUrl } from '../platform/outbound/stored-url.ts';
import type { Platform } from '../platform.ts';
import type { DeliveryError } from '../wire/delivery/errors.ts';

/** A warning when the URL may be stored but leads nowhere yet. */
export async function checkedUrl(
  { addressRules, resolve }: Pick<Platform, 'addressRules' | 'resolve'>,
  url: string,
  refused: (why: string) => DeliveryError,
): Promise<string | null> {
  const verdict = await checkStoredUrl(url, addressRules, resolve);
  if (!verdict.ok) throw refused(verdict.detail);
  return verdict.warning ?? null;
}
