import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '@parley/protocol/json';
import { HEADER_MISMATCH, INVALID_PARAMS, RpcError, UNSUPPORTED_VERSION } from './rpc-error.ts';
import type { Loose, RpcRequest } from './message.ts';

/*
 * Two protocols on one endpoint. A modern client says in each request who it is and what it speaks, in `_meta` and again in
 * headers, so that whatever stands in between can tell without reading the body. A legacy one says it once, in `initialize`,
 * and nothing is remembered of that: its requests stand alone as well.
 */

export type Era = 'modern' | 'legacy';

const MODERN_VERSION = '2026-07-28';
export const NEWEST_LEGACY = '2025-11-25';
/** Newest first. */
export const LEGACY_VERSIONS: readonly string[] = [NEWEST_LEGACY, '2025-06-18'];
export const SUPPORTED_VERSIONS: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS];
/** Clients of it may send its name in the header; without batches there is nothing else to it. */
const HEADER_VERSIONS: readonly string[] = [...LEGACY_VERSIONS, '2025-03-26'];

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const MODERN_METHODS = new Set(['server/discover', 'subscriptions/listen']);

/** Of which argument `Mcp-Name` is the copy. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/** Before the body is read, or where it cannot be. */
export const eraOfHeaders = (headers: IncomingHttpHeaders): Era =>
  headerOf(headers, 'mcp-protocol-version') === MODERN_VERSION ? 'modern' : 'legacy';

export function eraOf({ method, params }: RpcRequest, headers: IncomingHttpHeaders): Era {
  const meta = metaOf(params);
  if (meta && (VERSION_KEY in meta || CAPABILITIES_KEY in meta)) return 'modern';
  return MODERN_METHODS.has(method) ? 'modern' : eraOfHeaders(headers);
}

export function requireLegacyVersion(headers: IncomingHttpHeaders): void {
  const version = headerOf(headers, 'mcp-protocol-version');
  if (version !== undefined && !HEADER_VERSIONS.includes(version)) throw unsupported(version);
}

/** In the order in which clients are told what is wrong. */
export function requireModernEnvelope({ method, params }: RpcRequest, headers: IncomingHttpHeaders): void {
  const meta = metaOf(params);
  const version = meta?.[VERSION_KEY];
  if (typeof version !== 'string') throw incomplete(VERSION_KEY, 'a string');
  if (!isObject(meta?.[CAPABILITIES_KEY])) throw incomplete(CAPABILITIES_KEY, 'an object');
  requireSame(headers, 'MCP-Protocol-Version', version);
  if (version !== MODERN_VERSION) throw unsupported(version);
  requireSame(headers, 'Mcp-Method', method);
  const argument = NAMED_BY.get(method);
  if (argument !== undefined)
    requireSame(headers, 'Mcp-Name', isObject(params) ? params[argument] : undefined);
}

export const metaOf = (params: unknown): Loose | undefined =>
  isObject(params) && isObject(params._meta) ? params._meta : undefined;

function requireSame(headers: IncomingHttpHeaders, name: string, value: unknown): void {
  const sent = headerOf(headers, name.toLowerCase());
  if (sent === undefined) throw mismatch(`the header ${name} is missing`);
  if (decoded(sent) !== value) throw mismatch(`the header ${name} does not match the body`);
}

const headerOf = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
};

/** What cannot stand in a header as it is comes encoded. */
function decoded(value: string): string {
  const [, encoded] = /^=\?base64\?([A-Za-z0-9+/_=-]*)\?=$/.exec(value) ?? [];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString();
}

const mismatch = (reason: string): RpcError =>
  new RpcError(HEADER_MISMATCH, `Header mismatch: ${reason}`, { status: 400 });

const incomplete = (key: string, what: string): RpcError =>
  new RpcError(INVALID_PARAMS, `Invalid params: _meta must hold ${key}, ${what}`, {
    status: 400,
    data: { reason: `_meta must hold ${key}, ${what}` },
  });

const unsupported = (requested: string): RpcError =>
  new RpcError(UNSUPPORTED_VERSION, 'Unsupported protocol version', {
    status: 400,
    data: { supported: SUPPORTED_VERSIONS, requested },
  });
