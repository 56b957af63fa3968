import { AddressRefusedError, NameUnresolvedError } from './guarded-connector.ts';

export type FailureReason =
  | 'timeout'
  | 'connection_refused'
  | 'dns_resolution_failed'
  | 'tls_handshake_failed'
  | 'network'
  | 'ssrf_blocked';

export interface Failure {
  readonly kind: 'failure';
  readonly reason: FailureReason;
  /** For the owner's eyes: what went wrong, without the URL. */
  readonly detail: string;
}

export function failure(reason: FailureReason, detail: string): Failure {
  return { kind: 'failure', reason, detail };
}

export function failureOf(error: unknown): Failure {
  if (error instanceof AddressRefusedError) return failure('ssrf_blocked', error.message);
  if (error instanceof NameUnresolvedError) return failure('dns_resolution_failed', error.message);
  // With several addresses tried, Node bundles the errors; the first tells as much as any.
  if (error instanceof AggregateError && error.errors.length > 0) return failureOf(error.errors[0]);
  if (!(error instanceof Error)) return failure('network', 'request failed');
  return failure(reasonOf(error), error.message);
}

function reasonOf(error: Error): FailureReason {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (TIMEOUT_CODES.has(code)) return 'timeout';
  if (code === 'ECONNREFUSED') return 'connection_refused';
  if (DNS_CODES.has(code)) return 'dns_resolution_failed';
  if (TLS_CODE.test(code) || error.message.includes('before secure TLS connection'))
    return 'tls_handshake_failed';
  return 'network';
}

const TIMEOUT_CODES = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);
const DNS_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENODATA']);
const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|EPROTO$|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA)/;
