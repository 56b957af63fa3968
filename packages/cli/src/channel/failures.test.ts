import { EnvelopeTooLargeError } from '@parley/protocol/channels/envelope';
import { JoinUrlError } from '@parley/protocol/channels/join-url';
import { KeyFormatError } from '@parley/protocol/channels/key';
import { KeyMismatchError } from '@parley/sdk/channels';
import { ChannelError } from '@parley/sdk/channels/channel-error';
import { TransportError } from '@parley/sdk/channels/transport';
import { expect, test } from 'vitest';
import { CliError } from '../cli-error.ts';
import { failure, saysGone } from './failures.ts';

function told(word: Parameters<typeof failure>[0], error: unknown): unknown[] {
  const made = failure(word, error);
  if (!(made instanceof CliError)) throw new Error('no failure of a command', { cause: made });
  return [made.exitCode, made.code, made.message, made.hint, made.details];
}

test('what the server refused is told in the words of the event lines', () => {
  const over = 'the channel is over; ask for a new link, or make one with "parley channel create"';
  const gone = new ChannelError(404, { error: 'channel_or_token_invalid', evicted_reason: 'idle' });
  expect(told('SEND', gone)).toEqual([
    3,
    'channel_or_token_invalid',
    'agentalk: SEND_FAILED error=channel_or_token_invalid evicted_reason=idle',
    over,
    { evicted_reason: 'idle' },
  ]);
  const busy = new ChannelError(429, { error: 'rate_limited', retry_after_sec: 9 });
  expect(told('JOIN', busy)).toEqual([
    5,
    'rate_limited',
    'agentalk: JOIN_FAILED error=rate_limited retry_after=9',
    undefined,
    { retry_after_sec: 9 },
  ]);
  // It sleeps and can be woken: nothing is over.
  const asleep = new ChannelError(404, { error: 'channel_or_token_invalid', hibernating: true });
  expect(told('LEAVE', asleep).slice(0, 4)).toEqual([
    1,
    'channel_or_token_invalid',
    'agentalk: LEAVE_FAILED error=channel_or_token_invalid',
    undefined,
  ]);
  const page = new ChannelError(404, {});
  expect([gone, busy, asleep, page, new Error('x')].map(saysGone)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('what went wrong here says what to do', () => {
  const lost = new TransportError('unreachable', new Error('connect ECONNREFUSED'));
  expect(told('CREATE', lost)).toEqual([
    7,
    'network_unreachable',
    'agentalk: CREATE_FAILED error=network_unreachable: connect ECONNREFUSED',
    'is the server running? "parley serve" starts one, --server or PARLEY_URL names another',
    {},
  ]);
  expect(told('JOIN', lost)[3]).toBe('is the server running, and can it be reached from here?');
  expect(told('JOIN', new KeyMismatchError(['bob', 'cyd']))).toMatchObject(
    [
      4,
      'key_mismatch',
      /^agentalk: JOIN_FAILED error=key_mismatch: fingerprint mismatch: .* bob cyd$/,
      undefined,
      { peers: ['bob', 'cyd'] },
    ].map((each) => (each instanceof RegExp ? expect.stringMatching(each) : each)),
  );
  expect(told('SEND', new EnvelopeTooLargeError(9)).slice(0, 4)).toEqual([
    2,
    'text_too_large',
    expect.stringMatching(/^agentalk: SEND_FAILED error=text_too_large: the message is too large: 9 bytes/),
    'say it in several messages',
  ]);
  expect(told('JOIN', new JoinUrlError('no link')).slice(0, 4)).toEqual([
    2,
    'invalid_url',
    'agentalk: JOIN_FAILED error=invalid_url: no link',
    'give the whole link, in quotes: http…/c/…?token=…#k=…',
  ]);
  expect(told('JOIN', new KeyFormatError())[3]).toBe('copy the link again, up to its last character');
  const other = new Error('other');
  expect([failure('JOIN', other), failure('JOIN', 'thrown')]).toEqual([other, 'thrown']);
});
