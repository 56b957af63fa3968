import { TransportError } from '@parley/sdk/channels/transport';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Patience } from './patience.ts';

let told = '';
beforeEach(() => {
  told = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((told += String(text))));
});
afterEach(() => vi.restoreAllMocks());

const lost = new TransportError('unreachable');
const refused = (status: unknown): Error => Object.assign(new Error(`status ${String(status)}`), { status });
const NOTE = 'parley: the server does not answer; going on when it does\n';

/** It waits a second, or until it is told to stop. */
async function after(failure: unknown, patience: (signal: AbortSignal) => Patience): Promise<unknown> {
  const stop = new AbortController();
  const waited = patience(stop.signal)
    .after(failure)
    .then(
      () => 'waited',
      (error: unknown) => error,
    );
  stop.abort();
  return await waited;
}

const answeredBefore = (signal: AbortSignal): Patience => {
  const patience = new Patience(signal);
  patience.answered();
  return patience;
};

test('a server that answered before is waited for while it is away or too busy', async () => {
  for (const passing of [lost, refused(503), refused(429)]) {
    told = '';
    expect(await after(passing, answeredBefore)).toBe('waited');
    expect(told).toBe(NOTE);
  }
});

test('what does not pass is a failure, and so is a server that never answered', async () => {
  for (const failure of [refused(404), refused('503'), new Error('503'), 'thrown']) {
    expect(await after(failure, answeredBefore)).toBe(failure);
  }
  expect(await after(lost, (signal) => new Patience(signal))).toBe(lost);
  expect(told).toBe('');
});

test('that it is away is told once, and again after it answered', async () => {
  const stop = new AbortController();
  const patience = answeredBefore(stop.signal);
  const waiting = [patience.after(lost), patience.after(lost)];
  expect(told).toBe(NOTE);
  patience.answered();
  waiting.push(patience.after(lost));
  expect(told).toBe(NOTE + NOTE);
  stop.abort();
  await Promise.all(waiting);
  // Whoever was stopped neither waits nor fails.
  await patience.after(refused(404));
  expect(told).toBe(NOTE + NOTE);
});
