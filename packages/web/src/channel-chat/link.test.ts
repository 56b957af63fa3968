import { expect, test } from 'vitest';
import { readLink } from './link.ts';

const hex = '5041524c45592d746573742d6b65792d30303100112233445566778899aabbcc';
const base64url = 'UEFSTEVZLXRlc3Qta2V5LTAwMQARIjNEVWZ3iJmqu8w';

test.each([base64url, `${base64url}=`, hex, hex.toUpperCase()])('link › reads the key %s', (key) => {
  expect(readLink({ channel: 'c', token: 't' }, `#k=${key}&n=x`).key).toBe(hex);
});

test.each(['', 'k=', `k=${base64url.slice(1)}`, `k=${hex.slice(1)}`, `k=${hex.slice(0, 43)}`, `K=${hex}`])(
  'link › has no key in #%s',
  (fragment) => {
    expect(readLink({}, `#${fragment}`).key).toBeNull();
  },
);

test('link › reads name and topic, the topic cut to 80 characters', () => {
  const link = readLink(
    { channel: 'c', token: 't' },
    `#k=${hex}&n=Ada%20L&t=${encodeURIComponent('🦊'.repeat(90))}`,
  );
  expect(link).toEqual({ channel: 'c', token: 't', key: hex, name: 'Ada L', topic: '🦊'.repeat(40) });
});

test('link › survives a broken escape', () => {
  expect(readLink({}, '#t=100%&n=%zz')).toMatchObject({ topic: '100%', name: '%zz' });
});
