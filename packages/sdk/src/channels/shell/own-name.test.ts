import { describe, expect, test } from 'vitest';
import { ownName } from './own-name.ts';

describe('shell session › own name', () => {
  test.each([
    ['/home/me/api', 'api_'],
    ['/home/me/api/', 'api_'],
    ['/srv/my app (v2)', 'my_app__v2__'],
    ['/srv/zoë', 'zo___'],
    ["/srv/it's;$(id)", 'it_s___id__'],
    ['/', '_'],
    [`/srv/${'x'.repeat(80)}`, 'x'.repeat(60)],
  ])('of %s is %s', (directory, name) => {
    expect(ownName('', directory)).toBe(name);
  });

  test.each([
    ['laptop', 'laptop'],
    ['my laptop', 'my_laptop'],
    ["a'b", 'a_b'],
    ['x'.repeat(80), 'x'.repeat(60)],
  ])('given as %s is %s', (given, name) => {
    expect(ownName(given, '/home/me/api')).toBe(name);
  });
});
