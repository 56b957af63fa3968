import { describe, expect, test } from 'vitest';
import { parseFlags } from './flags.ts';
import { ConfigError } from './load.ts';

describe('flags', () => {
  test.each<[string[], Record<string, string | true>]>([
    [[], {}],
    [['--port', '8080'], { port: '8080' }],
    [['--port=8080'], { port: '8080' }],
    [['--host='], { host: '' }],
    [['--host', ''], { host: '' }],
    [['--rate-limits'], { 'rate-limits': true }],
    [['--rate-limits', '--port', '1'], { 'rate-limits': true, port: '1' }],
    [['--public-url=https://a.example/?x=1'], { 'public-url': 'https://a.example/?x=1' }],
    [['--port', '-1'], { port: '-1' }],
    [['--port=1', '--port=2'], { port: '2' }],
  ])('%j', (argv, flags) => {
    expect(parseFlags(argv)).toEqual(flags);
  });

  test.each([['serve'], ['-p'], ['--'], ['--Port'], ['--1'], ['---x'], ['']])('refuses %j', (word) => {
    expect(() => parseFlags([word])).toThrow(ConfigError);
    expect(() => parseFlags([word])).toThrow(JSON.stringify(word));
  });
});
