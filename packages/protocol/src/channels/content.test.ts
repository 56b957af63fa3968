import { describe, expect, test } from 'vitest';
import { chainMark, classify, helloEnvelope, textEnvelope, welcomeEnvelope } from './content.ts';

describe('channel envelope › meaning', () => {
  test.each([
    [{ text: 'hi' }, { kind: 'text', text: 'hi' }],
    [
      { to: 'bob', text: 'hi' },
      { kind: 'text', text: 'hi', to: 'bob' },
    ],
    [
      { to: null, text: 'hi' },
      { kind: 'text', text: 'hi' },
    ],
    [
      { to: '', text: 'hi' },
      { kind: 'text', text: 'hi' },
    ],
    [{ hello: '00ff' }, { kind: 'hello', challenge: '00ff', human: false, resumed: false, reader: false }],
    [
      { hello: '00ff', human: true, resumed: true, reader: false },
      { kind: 'hello', challenge: '00ff', human: true, resumed: true, reader: false },
    ],
    [
      { hello: '00ff', human: 'yes' },
      { kind: 'hello', challenge: '00ff', human: false, resumed: false, reader: false },
    ],
    [
      { welcome: '00ff', to: 'bob' },
      { kind: 'welcome', challenge: '00ff', to: 'bob' },
    ],
    [
      { text: 'c', welcome: 'b', to: 'x', hello: 'a' },
      { kind: 'hello', challenge: 'a', human: false, resumed: false, reader: false },
    ],
    [
      { text: 'c', welcome: 'b', to: 'x' },
      { kind: 'welcome', challenge: 'b', to: 'x' },
    ],
    [{ text: '' }, { kind: 'nothing' }],
    [{ text: 5 }, { kind: 'nothing' }],
    [{ to: 5, text: 'not for everyone' }, { kind: 'nothing' }],
    [{ hello: 'not a challenge' }, { kind: 'nothing' }],
    [{ welcome: 'b' }, { kind: 'nothing' }],
    [{}, { kind: 'nothing' }],
  ])('%j', (envelope, content) => {
    expect(classify(envelope)).toEqual(content);
  });

  test('is written compactly, the recipient first', () => {
    expect(JSON.stringify(textEnvelope('hi'))).toBe('{"text":"hi"}');
    expect(JSON.stringify(textEnvelope('hi', 'bob'))).toBe('{"to":"bob","text":"hi"}');
    expect(JSON.stringify(helloEnvelope('aa'))).toBe('{"hello":"aa"}');
    expect(JSON.stringify(helloEnvelope('aa', { human: true, resumed: true, reader: false }))).toBe(
      '{"hello":"aa","human":true,"resumed":true}',
    );
    expect(JSON.stringify(welcomeEnvelope('aa', 'bob'))).toBe('{"welcome":"aa","to":"bob"}');
  });

  test('reads a place in the sequence only when it is one', () => {
    expect(chainMark({ seq: 1 })).toEqual({ sid: '', seq: 1 });
    expect(chainMark({ sid: 'a', seq: 2, ts: 5, prev: 'b' })).toEqual({ sid: 'a', seq: 2, ts: 5, prev: 'b' });
    for (const seq of [undefined, 0, -1, 1.5, '1', null]) expect(chainMark({ seq })).toBeUndefined();
    expect(chainMark({ sid: 1, seq: 1 })).toBeUndefined();
  });
});
