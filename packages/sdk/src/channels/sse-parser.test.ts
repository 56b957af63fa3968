import { describe, expect, it } from 'vitest';
import { SseParser } from './sse-parser.ts';

describe('event stream parser', () => {
  const stream = ': hi\n\nid: 3\nevent: message\ndata: {"a":1}\n\ndata: x\ndata: y\n\ndata:z\r\n\r\n: bye\n';

  it('gives the data of each event', () => {
    expect(new SseParser().push(stream)).toEqual(['{"a":1}', 'x\ny', 'z']);
  });

  it('does not care where the stream was cut', () => {
    for (let at = 0; at <= stream.length; at++) {
      const parser = new SseParser();
      const events = [...parser.push(stream.slice(0, at)), ...parser.push(stream.slice(at))];
      expect(events, `cut at ${at}`).toEqual(['{"a":1}', 'x\ny', 'z']);
    }
  });

  it('an event is complete only with its blank line', () => {
    const parser = new SseParser();
    expect(parser.push('data: half')).toEqual([]);
    expect(parser.push('\n')).toEqual([]);
    expect(parser.push('\n')).toEqual(['half']);
  });
});
