import { expect, test } from 'vitest';
import { withoutSecrets } from './without-secrets.ts';

test.each([
  ['https://example.com/hook', 'https://example.com/hook'],
  ['https://example.com:8443/a?token=hush&b=2#c', 'https://example.com:8443/a?token=•••&b=•••'],
  ['https://me:hush@example.com/', 'https://•••@example.com/'],
  ['no address', '•••'],
])('console › an address is shown without its secrets › %s', (address, shown) => {
  expect(withoutSecrets(address)).toBe(shown);
});
