import { Pool, types } from 'pg';

const INT8 = 20;
const NUMERIC = 1700;

/** Counts and Unix milliseconds come as numbers on both databases; every integer kept here is a safe one. */
const numericTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
    if (oid === INT8 || oid === NUMERIC) return Number;
    return types.getTypeParser(oid, format ?? 'text') as (value: string) => unknown;
  },
};

export interface Pools {
  readonly reads: Pool;
  readonly writes: Pool;
}

/**
 * Two pools: a read cannot change anything, and a write function that reads beside its transaction can never wait for
 * the connection it holds itself.
 */
export function openPools(url: string, size: number, onError: (error: unknown) => void): Pools {
  const base = { max: size, types: numericTypes as typeof types, connectionTimeoutMillis: 10_000 };
  const reads = new Pool({ ...base, connectionString: withOption(url, 'default_transaction_read_only=on') });
  const writes = new Pool({ ...base, connectionString: url });
  reads.on('error', onError);
  writes.on('error', onError);
  return { reads, writes };
}

/** Adds a session setting to a connection URL, keeping those it already asks for. */
export function withOption(url: string, setting: string): string {
  const parsed = new URL(url);
  const present = parsed.searchParams.get('options');
  parsed.searchParams.set('options', `${present ? `${present} ` : ''}-c ${setting}`);
  return parsed.href;
}
