import { INBOUND_POLICIES } from '@parley/protocol/delivery/vocabulary';
import { describe, expect, test } from 'vitest';
import { mayReach } from './inbound-policy.ts';

const stranger = { ownerId: 'o2', ownerSlug: 'eve', suffix: 'aaaaaaaaaaaa' };

describe('inbound policy', () => {
  test.each(INBOUND_POLICIES)('%s: the own owner always comes through', (policy) => {
    const recipient = { ownerId: 'o2', inboundPolicy: policy, inboundAllow: [] };
    expect(mayReach(recipient, stranger)).toBe(true);
  });

  test('strangers come through as the policy says', () => {
    const by = INBOUND_POLICIES.map((inboundPolicy) =>
      mayReach({ ownerId: 'o1', inboundPolicy, inboundAllow: [] }, stranger),
    );
    expect(by).toEqual([true, false, false]);
  });

  test.each([
    [['eve'], true],
    [[' Eve '], true],
    [['agent_aaaaaaaaaaaa'], true],
    [['agt_aaaaaaaaaaaa'], true],
    [['agent_bbbbbbbbbbbb', 'bob'], false],
    [['aaaaaaaaaaaa'], false],
  ])('an allowlist of %j lets eve in: %s', (allow, expected) => {
    expect(mayReach({ ownerId: 'o1', inboundPolicy: 'allowlist', inboundAllow: allow }, stranger)).toBe(
      expected,
    );
  });
});
