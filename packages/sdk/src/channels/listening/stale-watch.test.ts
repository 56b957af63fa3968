import { describe, expect, test } from 'vitest';
import { StaleWatch } from './stale-watch.ts';

const seen = (name: string, last_seen_s: number) => ({ name, key_fp: null, last_seen_s });

describe('channel presence', () => {
  test('tells stale once and back once', () => {
    const watch = new StaleWatch(180);
    expect(watch.changes([seen('bob', 180)], 'me')).toEqual([]);
    expect(watch.changes([seen('bob', 181)], 'me')).toEqual([{ name: 'bob', unseen: 181 }]);
    expect(watch.changes([seen('bob', 240)], 'me')).toEqual([]);
    expect(watch.changes([seen('bob', 3)], 'me')).toEqual([{ name: 'bob' }]);
    expect(watch.changes([seen('bob', 3)], 'me')).toEqual([]);
  });

  test('does not watch itself, and forgets who left', () => {
    const watch = new StaleWatch(180);
    expect(watch.changes([seen('me', 999)], 'me')).toEqual([]);
    watch.changes([seen('bob', 200)], 'me');
    watch.left('bob');
    expect(watch.changes([seen('bob', 0)], 'me')).toEqual([]);
  });
});
