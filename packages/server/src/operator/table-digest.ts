import { createHash } from 'node:crypto';

/** A value of either database: text, numbers, bytes, a list of numbers, or nothing. */
export type CopiedValue = string | number | Uint8Array | readonly number[] | null;
export type CopiedRow = Readonly<Record<string, CopiedValue>>;

/** What a table holds, whatever order its rows come in. */
export interface TableSum {
  readonly rows: number;
  readonly digest: string;
}

const LANES = 5;
const LANE_BYTES = 6;
/** The sum of two numbers below it is exact. */
const LANE_SIZE = 2 ** (8 * LANE_BYTES);

/** Adds up the rows of a table: the sum of their hashes is the same on both databases, which sort text differently. */
export class TableDigest {
  readonly #columns: readonly string[];
  readonly #lanes = Array.from({ length: LANES }, () => 0);
  #rows = 0;

  constructor(columns: readonly string[]) {
    this.#columns = columns.toSorted();
  }

  add(row: CopiedRow): void {
    const values = this.#columns.map((column) => canonical(row[column] ?? null));
    const hash = createHash('sha256').update(JSON.stringify(values)).digest();
    for (let lane = 0; lane < LANES; lane++) {
      const sum = (this.#lanes[lane] ?? 0) + hash.readUIntBE(lane * LANE_BYTES, LANE_BYTES);
      this.#lanes[lane] = sum % LANE_SIZE;
    }
    this.#rows++;
  }

  get sum(): TableSum {
    const digest = this.#lanes.map((lane) => lane.toString(16).padStart(2 * LANE_BYTES, '0')).join('');
    return { rows: this.#rows, digest };
  }
}

export const sameSum = (one: TableSum, other: TableSum): boolean =>
  one.rows === other.rows && one.digest === other.digest;

/** Bytes must not look like the text of their digits. */
function canonical(value: CopiedValue): unknown {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('hex') };
  if (Array.isArray(value)) return value.toSorted((a, b) => a - b);
  return value;
}
