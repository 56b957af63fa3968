import { describe, expect, test } from 'vitest';
import { EventStreamReader, type StreamEvent } from './event-stream-reader.ts';

const dataOf = (events: readonly StreamEvent[]): string[] => events.map(({ data }) => data);

describe('event stream reader', () => {
  const stream =
    ': hi\n\nid: 3\nevent: message\ndata: {"a":1}\n\ndata: x\ndata: y\n\ndata:z\r\n\r\ndata: r\r\rid:4\ndata\n\n: bye\n';
  const events: StreamEvent[] = [
    { event: 'message', id: '3', data: '{"a":1}' },
    { event: undefined, id: undefined, data: 'x\ny' },
    { event: undefined, id: undefined, data: 'z' },
    { event: undefined, id: undefined, data: 'r' },
    { event: undefined, id: '4', data: '' },
  ];

  test('gives each event with its name, its id and its data', () => {
    expect(new EventStreamReader().push(stream)).toEqual(events);
  });

  test('does not care where the stream was cut', () => {
    for (let at = 0; at <= stream.length; at++) {
      const reader = new EventStreamReader();
      const read = [...reader.push(stream.slice(0, at)), ...reader.push(stream.slice(at))];
      expect(read, `cut at ${at}`).toEqual(events);
    }
  });

  test('is read letter by letter as well', () => {
    const reader = new EventStreamReader();
    expect(stream.split('').flatMap((letter) => [...reader.push(letter), ...reader.push('')])).toEqual(
      events,
    );
  });

  test('an event that ends in returns is there with the last of them', () => {
    const reader = new EventStreamReader();
    expect(dataOf(reader.push('data: a\r\r'))).toEqual(['a']);
    expect(dataOf(reader.push('data: b\r\n\r'))).toEqual(['b']);
    expect(dataOf(reader.push('\ndata: c\n\n'))).toEqual(['c']);
  });

  test('takes a byte order mark off the beginning, and nothing off the rest', () => {
    const reader = new EventStreamReader();
    expect(dataOf(reader.push('\ufeffdata: \ufeffa\n\n'))).toEqual(['\ufeffa']);
    expect(reader.push('\ufeffdata: b\n\n')).toEqual([]);
  });

  test('an id that holds a NUL is none', () => {
    const [event] = new EventStreamReader().push('id: 7\nid: 8\0\ndata: a\n\n');
    expect(event?.id).toBe('7');
  });

  test('drops comments, names it does not know and events without data', () => {
    const text = ': data: no\nretry: 100\nevent: ping\nid: 9\n\ndataset: no\ndata: yes\n\n';
    expect(new EventStreamReader().push(text)).toEqual([{ event: undefined, id: undefined, data: 'yes' }]);
  });

  test('takes one space off a value, and no more', () => {
    expect(dataOf(new EventStreamReader().push('data:  a: b \n\n'))).toEqual([' a: b ']);
  });

  test('an event is complete only with its blank line', () => {
    const reader = new EventStreamReader();
    expect(reader.push('data: half')).toEqual([]);
    expect(reader.push('\n')).toEqual([]);
    expect(dataOf(reader.push('\n'))).toEqual(['half']);
  });
});
