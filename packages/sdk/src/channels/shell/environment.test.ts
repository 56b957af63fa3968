import { afterEach, describe, expect, test, vi } from 'vitest';
import { TransportError } from '../transport.ts';
import { errorCode, needed, ownIdentity, readKey, seconds, ShellError } from './environment.ts';

const KEY = 'ab'.repeat(32);
const SESSION = {
  CHANNEL_ID: 'channel',
  TOKEN: 'token',
  CHANNEL_KEY: KEY,
  PARTICIPANT_ID: 'participant',
  MY_NAME: 'api_',
};

afterEach(() => vi.unstubAllEnvs());

describe('shell session › environment', () => {
  test.each([
    ['0', 0],
    ['2', 2],
    ['12.5', 12.5],
    ['', undefined],
    ['-1', undefined],
    ['1.', undefined],
    ['1e3', undefined],
    [' 2', undefined],
    ['soon', undefined],
  ])('seconds that are set to %j count as %j', (text, expected) => {
    vi.stubEnv('AGENTALK_COALESCE_S', text);
    expect(seconds('AGENTALK_COALESCE_S')).toBe(expected);
  });

  test('what a session needs and does not have is named', () => {
    for (const [name, value] of Object.entries(SESSION)) vi.stubEnv(name, value);
    expect(ownIdentity()).toEqual({
      channelId: 'channel',
      token: 'token',
      key: readKey(KEY),
      participantId: 'participant',
      name: 'api_',
    });
    for (const name of ['CHANNEL_ID', 'MY_NAME'] as const) {
      vi.stubEnv(name, '');
      expect(() => needed(name)).toThrow(new ShellError(`${name} is not set; source the session file first`));
      vi.stubEnv(name, SESSION[name]);
    }
  });

  test('a key that is none is told to whoever reads, not thrown as a defect', () => {
    expect(() => readKey('short')).toThrow(ShellError);
  });

  test('only what a request can come to is a word in an event line', () => {
    expect(errorCode(new TransportError('unreachable'))).toBe('network_unreachable');
    const defect = new TypeError('defect');
    expect(() => errorCode(defect)).toThrow(defect);
  });
});
