import { describe, expect, test } from 'vitest';
import { addressee } from './addressee.ts';

describe('channel › addressee of a direct message', () => {
  test.each([
    ['the name itself', 'Zoë 🦊', ['api_', 'Zoë 🦊'], 'Zoë 🦊'],
    ['the name as lines show it', 'Zoë🦊', ['api_', 'Zoë 🦊'], 'Zoë 🦊'],
    ['who has exactly this name, before who is shown so', 'ab', ['a b', 'ab'], 'ab'],
    ['nobody in particular, when two are shown so', 'abc', ['a bc', 'ab c'], 'abc'],
    ['somebody who is not here', 'eve', ['api_'], 'eve'],
  ])('is %s', (_who, given, names, meant) => {
    expect(addressee(given, names)).toBe(meant);
  });
});
