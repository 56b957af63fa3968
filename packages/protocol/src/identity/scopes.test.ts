import { describe, expect, test } from 'vitest';
import { credentialForm } from './credentials.ts';
import { AGENT_KEY_SCOPES, hasScope, inNamespaces, OWNER_KEY_SCOPES } from './scopes.ts';

describe('scopes', () => {
  test('are passed by admin:peers', () => {
    expect(hasScope(['search'], 'search')).toBe(true);
    expect(hasScope(['search'], 'read:files')).toBe(false);
    expect(hasScope(['admin:peers'], 'read:files')).toBe(true);
    expect(hasScope([], 'search')).toBe(false);
  });

  test('of an agent are all but administration, replication and managing other agents', () => {
    const missing = OWNER_KEY_SCOPES.filter((scope) => !AGENT_KEY_SCOPES.includes(scope));
    expect(missing).toEqual(['admin:peers', 'replication:sync', 'manage:agents']);
  });
});

describe('namespaces', () => {
  test.each([
    [['*'], 'anything/at/all', true],
    [['memory'], 'memory', true],
    [['memory'], 'memory/core.md', true],
    [['memory'], 'memory2/core.md', false],
    [['memory/continuity'], 'memory', false],
    [[], 'memory', false],
    [['tasks', 'memory'], 'memory/x', true],
  ])('%j hold %s: %s', (namespaces, path, inside) => {
    expect(inNamespaces(namespaces, path)).toBe(inside);
  });
});

describe('credential form', () => {
  test.each([
    [`ak_${'aA0_-bB1'.repeat(4)}`, 'agent_key'],
    [`cue_sk_${'0123456789abcdef'.repeat(2)}`, 'owner_key'],
    [`as_${'a'.repeat(32)}`, 'session'],
    [`rat_${'a'.repeat(32)}`, undefined],
    [`ak_${'a'.repeat(31)}`, undefined],
    [`cue_sk_${'A'.repeat(32)}`, undefined],
    ['', undefined],
  ])('%s is %s', (text, form) => {
    expect(credentialForm(text)).toBe(form);
  });
});
