import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { systemRandom } from '../ids.ts';
import { KEY_BYTES, SecretBox, SecretBoxError } from './secret-box.ts';
import { NO_SECRET, SigningSecretMaker } from './signing-secret.ts';

const scene = () => {
  const clock = new FakeClock();
  const secrets = new SecretBox(systemRandom.bytes(KEY_BYTES), systemRandom);
  return { clock, maker: new SigningSecretMaker({ clock, secrets, random: systemRandom }) };
};

describe('signing secret', () => {
  test('is made with its prefix, rests sealed and opens for its purpose only', () => {
    const { maker } = scene();
    const { secret, sealed } = maker.make('webhook:a', 'whsec_');
    expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/);
    expect(JSON.stringify(sealed)).not.toContain(secret);
    expect(maker.open(sealed, 'webhook:a')).toEqual({ current: secret, previous: undefined });
    expect(() => maker.open(sealed, 'webhook:b')).toThrow(SecretBoxError);
    expect(maker.open(NO_SECRET, 'webhook:a')).toBeUndefined();
  });

  test('stays good beside its successor for the overlap, and not a moment longer', () => {
    const { clock, maker } = scene();
    const first = maker.make('p', '');
    const second = maker.rotate(first.sealed, 'p', '', 60);
    expect(second.sealed.previousUntil).toBe(clock.now() + 60_000);
    expect(maker.open(second.sealed, 'p')).toEqual({ current: second.secret, previous: first.secret });
    clock.setBack(-59_999);
    expect(maker.open(second.sealed, 'p')?.previous).toBe(first.secret);
    clock.setBack(-1);
    expect(maker.open(second.sealed, 'p')?.previous).toBeUndefined();
  });

  test('is gone at once without an overlap, and where there was none nothing stays', () => {
    const { maker } = scene();
    const replaced = maker.rotate(maker.make('p', '').sealed, 'p', '', 0);
    expect(replaced.sealed).toMatchObject({ previous: null, previousUntil: null });
    expect(maker.rotate(NO_SECRET, 'p', '', 60).sealed).toMatchObject({
      previous: null,
      previousUntil: null,
    });
  });
});
