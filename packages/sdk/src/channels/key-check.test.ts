import { describe, expect, test } from 'vitest';
import { checkKeys, KeyWatch } from './key-check.ts';

const OWN = 'd4b94cdbd1dd54a6';
const entry = (name: string, key_fp: string | null) => ({ name, key_fp, last_seen_s: 0 });
const equal = (name: string) => entry(name, OWN);
const different = (name: string) => entry(name, 'a52f8cfb19fedd6c');
const silent = (name: string) => entry(name, null);

describe('channel key check › at join', () => {
  test.each([
    ['nobody else', [], 'unverified'],
    ['nobody tells a fingerprint', [silent('a')], 'unverified'],
    ['all have ours', [equal('a'), equal('b')], 'verified'],
    ['some have ours, others are silent', [equal('a'), silent('b')], 'verified'],
    ['some have ours, some another', [equal('a'), different('b'), silent('c')], 'partial'],
    ['nobody has ours, somebody another', [different('a'), silent('b')], 'mismatch'],
  ])('%s', (_what, others, verdict) => {
    expect(checkKeys([equal('me'), ...others], 'me', OWN).verdict).toBe(verdict);
  });

  test('names the three groups', () => {
    const roster = [equal('me'), equal('a'), different('b'), silent('c'), different('d')];
    expect(checkKeys(roster, 'me', OWN)).toEqual({
      verdict: 'partial',
      equal: ['a'],
      different: ['b', 'd'],
      silent: ['c'],
    });
  });

  test('compares as many digits as were told, in any case', () => {
    expect(checkKeys([entry('a', 'D4B94CDB')], 'me', OWN).verdict).toBe('verified');
    expect(checkKeys([entry('a', 'd4b94cdc')], 'me', OWN).verdict).toBe('mismatch');
  });
});

describe('channel key check › later arrivals', () => {
  test('tells each once', () => {
    const watch = new KeyWatch(OWN);
    const roster = [equal('me'), equal('a'), different('b'), silent('c')];
    expect(watch.news(roster, 'me')).toEqual([
      { name: 'b', problem: 'mismatch' },
      { name: 'c', problem: 'unverified' },
    ]);
    expect(watch.news(roster, 'me')).toEqual([]);
  });

  test('does not repeat what was checked at join, unless somebody else took the name', () => {
    const watch = new KeyWatch(OWN, ['b']);
    watch.knows(['c']);
    expect(watch.news([different('b'), silent('c')], 'me')).toEqual([]);
    watch.left('b');
    expect(watch.news([different('b')], 'me')).toEqual([{ name: 'b', problem: 'mismatch' }]);
  });

  test('tells a name again when its fingerprint changed', () => {
    const watch = new KeyWatch(OWN);
    watch.news([equal('a')], 'me');
    expect(watch.news([different('a')], 'me')).toEqual([{ name: 'a', problem: 'mismatch' }]);
  });
});
