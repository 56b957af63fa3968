const SMALLEST_SLAB = 1024;
const LARGEST_SLAB = 256 * 1024;
/** A UTF-16 unit takes at most this many bytes in UTF-8. */
const BYTES_PER_UNIT = 3;
const COMMA = 0x2c;

/**
 * The events of one channel as bytes, `{…},{…},…`, written once when they are accepted and copied out as they are.
 * Kept outside the garbage collector's heap: a busy server holds hundreds of thousands of events, and looking after
 * them as objects cost more than everything else a send does.
 */
export class EventBytes {
  readonly #slabs: Buffer[] = [];
  /** Bytes used in the last slab. */
  #used = 0;
  /** Per event: the slab it lies in, and where it begins and ends there. An event never spans two slabs. */
  readonly #slabOf: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  get length(): number {
    return this.#ends.length;
  }

  append(json: string): void {
    const slab = this.#slabFor(json);
    const start = this.#used;
    const end = start + slab.write(json, start);
    slab[end] = COMMA;
    this.#slabOf.push(this.#slabs.length - 1);
    this.#starts.push(start);
    this.#ends.push(end);
    this.#used = end + 1;
  }

  /** The size of one event in bytes. */
  sizeOf(index: number): number {
    return (this.#ends[index] ?? 0) - (this.#starts[index] ?? 0);
  }

  json(index: number): string {
    return this.#slab(index).toString('utf8', this.#starts[index], this.#ends[index]);
  }

  /** The events from `from` up to but not including `to`, with commas between them, in as few pieces as they lie in. */
  pieces(from: number, to: number): Buffer[] {
    const pieces: Buffer[] = [];
    for (let first = from; first < to; ) {
      let last = first;
      while (last + 1 < to && this.#slabOf[last + 1] === this.#slabOf[first]) last++;
      // The comma behind an event is part of the piece unless nothing follows.
      const end = (this.#ends[last] ?? 0) + (last + 1 < to ? 1 : 0);
      pieces.push(this.#slab(first).subarray(this.#starts[first], end));
      first = last + 1;
    }
    return pieces;
  }

  #slab(index: number): Buffer {
    const slab = this.#slabs[this.#slabOf[index] ?? -1];
    if (!slab) throw new RangeError('there is no such event');
    return slab;
  }

  /** Small at first, since most channels stay small; then doubling. */
  #slabFor(json: string): Buffer {
    const last = this.#slabs.at(-1);
    const free = last ? last.length - this.#used : 0;
    // Most often it fits whatever it is made of; only near the end of a slab is it worth counting.
    if (last && free > json.length * BYTES_PER_UNIT) return last;
    const size = Buffer.byteLength(json) + 1;
    if (last && free >= size) return last;
    const next = Math.min(LARGEST_SLAB, Math.max(SMALLEST_SLAB, (last?.length ?? 0) * 2));
    const slab = Buffer.allocUnsafeSlow(Math.max(size, next));
    this.#slabs.push(slab);
    this.#used = 0;
    return slab;
  }
}
