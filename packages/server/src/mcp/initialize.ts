import { isObject } from '@parley/protocol/json';
import { LEGACY_VERSIONS, NEWEST_LEGACY } from './eras.ts';
import type { Loose } from './message.ts';
import { invalidParams } from './rpc-error.ts';

const INFO_TEXTS = ['version', 'title', 'description', 'websiteUrl'] as const;

/** What a legacy client opens with; the version that is spoken. */
export function negotiatedVersion(params: Loose): string {
  const { protocolVersion: wanted, capabilities, clientInfo } = params;
  if (typeof wanted !== 'string') throw wrong('protocolVersion', 'must be a string');
  if (capabilities !== undefined && !isObject(capabilities)) throw wrong('capabilities', 'must be an object');
  if (clientInfo !== undefined) requireClientInfo(clientInfo);
  return LEGACY_VERSIONS.includes(wanted) ? wanted : NEWEST_LEGACY;
}

function requireClientInfo(info: unknown): void {
  if (!isObject(info)) throw wrong('clientInfo', 'must be an object');
  if (typeof info.name !== 'string' || info.name === '') throw wrong('clientInfo.name', 'must be a string');
  for (const key of INFO_TEXTS) {
    if (info[key] !== undefined && typeof info[key] !== 'string')
      throw wrong(`clientInfo.${key}`, 'must be a string');
  }
  if (info.icons !== undefined && !Array.isArray(info.icons))
    throw wrong('clientInfo.icons', 'must be an array');
}

const wrong = (field: string, reason: string) => invalidParams(`${field} ${reason}`, { field });
