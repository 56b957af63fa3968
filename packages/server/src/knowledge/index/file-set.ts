/** Numbers in a row, for each that is in use, beyond which a list takes less room than bits. */
const SPARSE = 64;

/**
 * Numbers of files. Those of one owner lie close together on most servers: then a bit for each number between the first and the
 * last takes the least room, and is gone through the fastest.
 */
export class FileSet {
  static readonly empty = new FileSet(new Float64Array());

  readonly size: number;
  readonly first: number;
  readonly last: number;
  /** Rising; without bits. */
  readonly #list: Float64Array;
  readonly #bits: Uint32Array;

  /** In any order, as often as you like. */
  constructor(ids: Float64Array) {
    const { first, last } = rangeOf(ids);
    const span = last - first + 1;
    const sparse = span > SPARSE * ids.length;
    this.first = first;
    this.last = last;
    this.#list = sparse ? Float64Array.from(new Set(ids)).toSorted() : new Float64Array();
    this.#bits = new Uint32Array(sparse ? 0 : Math.ceil(span / 32));
    this.size = sparse ? this.#list.length : setBits(this.#bits, ids, first);
  }

  get bytes(): number {
    return this.#list.byteLength + this.#bits.byteLength;
  }

  forEach(visit: (id: number) => void): void {
    for (const id of this.#list) visit(id);
    const bits = this.#bits;
    for (let at = 0; at < bits.length; at += 1) {
      for (let word = bits[at] ?? 0; word !== 0; word &= word - 1) {
        visit(this.first + 32 * at + 31 - Math.clz32(word & -word));
      }
    }
  }

  /** Without some, and with others. */
  changed(without: ReadonlySet<number>, also: readonly number[]): FileSet {
    const ids = new Float64Array(this.size + also.length);
    let count = 0;
    this.forEach((id) => {
      if (!without.has(id)) ids[count++] = id;
    });
    for (const id of also) ids[count++] = id;
    return new FileSet(ids.subarray(0, count));
  }
}

function rangeOf(ids: Float64Array): { first: number; last: number } {
  let first = ids[0] ?? 0;
  let last = first - Number(ids.length === 0);
  for (const id of ids) {
    if (id < first) first = id;
    if (id > last) last = id;
  }
  return { first, last };
}

/** How many were not set before. */
function setBits(bits: Uint32Array, ids: Float64Array, first: number): number {
  let count = 0;
  for (const id of ids) {
    const at = (id - first) >>> 5;
    const bit = 1 << ((id - first) & 31);
    const word = bits[at] ?? 0;
    if ((word & bit) === 0) count += 1;
    bits[at] = word | bit;
  }
  return count;
}

const COMMA = 44;
const ZERO = 48;

/** The numbers of a list such as `7,12,3`. By hand: there may be a hundred thousand of them. */
export function numbersIn(text: string): Float64Array {
  const numbers = new Float64Array(Math.ceil(text.length / 2));
  let count = 0;
  let number = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA) {
      numbers[count++] = number;
      number = 0;
    } else number = number * 10 + code - ZERO;
  }
  numbers[count++] = number;
  return numbers.subarray(0, count);
}
