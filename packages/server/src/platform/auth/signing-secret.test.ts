import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { systemRandom } from '../ids.ts';
import { KEY_BYTES, SecretBox, SecretBoxError } from './secret-box.ts';
import { makeSecret, NO_SECRET, openSecret } from './signing-secret.ts';

const scene = () => {
  const clock = new FakeClock();
  const secrets = new SecretBox(systemRandom.bytes(KEY_BYTES), systemRandom);
  return { clock, secrets, random: systemRandom };
};

describe('signing secret', () => {
  test('is made with its prefix, rests sealed and opens for its purpose only', () => {
    const parts = scene();
    const { secret, sealed } = makeSecret(parts, 'webhook:a', 'whsec_');
    expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/);
    expect(JSON.stringify(sealed)).not.toContain(secret);
    expect(openSecret(parts, sealed, 'webhook:a')).toEqual({ current: secret, previous: undefined });
    expect(() => openSecret(parts, sealed, 'webhook:b')).toThrow(SecretBoxError);
    expect(openSecret(parts, NO_SECRET, 'webhook:a')).toBeUndefined();
  });

  test('stays good beside its successor for the overlap, and not a moment longer', () => {
    const parts = scene();
    const { clock } = parts;
    const first = makeSecret(parts, 'p', '');
    const second = makeSecret(parts, 'p', '', first.sealed, 60);
    expect(second.sealed.previousUntil).toBe(clock.now() + 60_000);
    expect(openSecret(parts, second.sealed, 'p')).toEqual({ current: second.secret, previous: first.secret });
    clock.setBack(-59_999);
    expect(openSecret(parts, second.sealed, 'p')?.previous).toBe(first.secret);
    clock.setBack(-1);
    expect(openSecret(parts, second.sealed, 'p')?.previous).toBeUndefined();
  });

  test('is gone at once without an overlap, and where there was none nothing stays', () => {
    const parts = scene();
    const replaced = makeSecret(parts, 'p', '', makeSecret(parts, 'p', '').sealed, 0);
    expect(replaced.sealed).toMatchObject({ previous: null, previousUntil: null });
    expect(makeSecret(parts, 'p', '', NO_SECRET, 60).sealed).toMatchObject({
      previous: null,
      previousUntil: null,
    });
  });
});
