import { describe, expect, test } from 'vitest';
import { blocksOf, spansOf } from './rich-text.ts';

const text = (...spans: [string, boolean?][]) => ({
  kind: 'text',
  spans: spans.map(([words, code = false]) => ({ code, text: words })),
});
const code = (words: string, language = '') => ({ kind: 'code', language, text: words });

describe('rich text › blocks', () => {
  test.each([
    ['plain text, as typed', 'a\n\n  b', [text(['a\n\n  b'])]],
    [
      'a fence between prose',
      'see:\n```js\nlet a;\n```\nok',
      [text(['see:']), code('let a;', 'js'), text(['ok'])],
    ],
    ['a fence of tildes', '~~~\n```\n~~~', [code('```')]],
    ['a longer fence around a shorter one', '````\n```\n````', [code('```')]],
    ['an open fence to the end', '```\nlet a;', [code('let a;')]],
    ['an empty fence', '```\n```', [code('')]],
    ['only the first word as language', '```py title="x"\n1\n```', [code('1', 'py')]],
    ['line ends of other systems', '```\r\na\r\nb\r\n```', [code('a\nb')]],
    ['no fence in the middle of a line', 'a ``` b', [text(['a ``` b'])]],
  ])('%s', (_, source, blocks) => {
    expect(blocksOf(source)).toEqual(blocks);
  });
});

describe('rich text › inline code', () => {
  test.each([
    ['a `b` c', [['a '], ['b', true], [' c']]],
    ['``a ` b``', [['a ` b', true]]],
    ['a ` b', [['a ` b']]],
    ['`a\nb`', [['`a\nb`']]],
    ['`a` and `b`', [['a', true], [' and '], ['b', true]]],
  ] as [string, [string, boolean?][]][])('%s', (source, spans) => {
    expect(spansOf(source)).toEqual(text(...spans).spans);
  });

  test('takes no longer for hostile text', () => {
    const hostile = Array.from({ length: 2_000 }, (_, length) => '`'.repeat(length + 1)).join(' ');
    expect(spansOf(hostile)).toEqual([{ code: false, text: hostile }]);
  });
});
