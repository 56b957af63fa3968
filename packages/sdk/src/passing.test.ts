import { describe, expect, test } from 'vitest';
import { ChannelError } from './channels/channel-error.ts';
import { DeliveryError } from './delivery/delivery-error.ts';
import { MemoryError } from './memory/memory-error.ts';
import { isTrouble, mayPass } from './passing.ts';

describe('a refusal', () => {
  test.each([
    [400, false, false],
    [428, false, false],
    [429, true, false],
    [430, false, false],
    [499, false, false],
    [500, true, true],
    [503, true, true],
  ])('with %i may pass: %s, and is trouble of the server: %s', (status, passes, trouble) => {
    expect([mayPass(status), isTrouble(status)]).toEqual([passes, trouble]);
    const errors = [new ChannelError(status, {}), new DeliveryError(status, {}), new MemoryError(status, {})];
    for (const error of errors) expect([error.name, error.retryable]).toEqual([error.name, passes]);
  });
});
