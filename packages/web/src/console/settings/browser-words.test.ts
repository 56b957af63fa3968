import { expect, test } from 'vitest';
import { browserWords } from './browser-words.ts';

const LIKE = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${LIKE} Chrome/156.0.0.0 Safari/537.36`, 'Chrome 156 on Linux'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${LIKE} Chrome/156.0.0.0 Safari/537.36 Edg/156.0.1.2`,
    'Edge 156 on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Firefox 140 on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari 18 on iOS',
  ],
  ['node', 'node'],
  ['', 'A browser that does not say which'],
])('console › browsers in words › %s', (agent, words) => {
  expect(browserWords(agent)).toBe(words);
});
