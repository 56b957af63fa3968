import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventBytes } from './event-bytes.ts';

const joined = (log: EventBytes, from: number, to: number): string =>
  Buffer.concat(log.pieces(from, to)).toString();

describe('channel › event bytes', () => {
  test('gives back any run of events as they were, joined by commas', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 900 }), { minLength: 1, maxLength: 40 }),
        fc.nat(),
        fc.nat(),
        (texts, a, b) => {
          const log = new EventBytes();
          const events = texts.map((text) => JSON.stringify({ text }));
          for (const event of events) log.append(event);
          const [from = 0, to = 0] = [a % (texts.length + 1), b % (texts.length + 1)].toSorted(
            (x, y) => x - y,
          );
          expect(joined(log, from, to)).toBe(events.slice(from, to).join(','));
          expect(events.map((_, index) => log.json(index))).toEqual(events);
          expect(events.map((_, index) => log.sizeOf(index))).toEqual(
            events.map((event) => Buffer.byteLength(event)),
          );
        },
      ),
    );
  });

  test('holds an event larger than any slab, and goes on after it', () => {
    const log = new EventBytes();
    const events = ['{"a":1}', JSON.stringify('ü'.repeat(400_000)), '{"b":2}'];
    for (const event of events) log.append(event);
    expect(joined(log, 0, 3)).toBe(events.join(','));
    expect(log.length).toBe(3);
  });

  test('takes little more than the events themselves, also when they are long', () => {
    const log = new EventBytes();
    for (let count = 0; count < 64; count++) log.append(JSON.stringify('x'.repeat(65_534)));
    const slabs = new Set(log.pieces(0, 64).map(({ buffer }) => buffer));
    const taken = [...slabs].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(taken).toBeLessThan(64 * 65_536 * 1.5);
  });

  test('keeps a quiet channel small', () => {
    const log = new EventBytes();
    log.append('{"type":"join"}');
    expect(log.pieces(0, 1)[0]?.buffer.byteLength).toBe(1024);
  });
});
