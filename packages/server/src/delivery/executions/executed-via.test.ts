import { DELIVERY_ROUTE_NAMES, type DeliveryRoute } from '@parley/protocol/delivery/vocabulary';
import { describe, expect, test } from 'vitest';
import { type ExecutionFacts, settleExecutedVia, type Told } from './executed-via.ts';

const nothing: Told = { executed_via: null, delivery_route: null };
const attested: ExecutionFacts = { live_claimed_at: 1, channel: 'live', route: 'live' };
const unattested: ExecutionFacts = { live_claimed_at: null, channel: 'live', route: 'live_unverified' };
const pushed: ExecutionFacts = { live_claimed_at: null, channel: 'bg', route: 'background_fallback' };

describe('executed via', () => {
  test.each<[string, Told]>([
    ['at the top', { ...nothing, executed_via: 'live' }],
    ['in the metadata', { ...nothing, metadata: { executed_via: 'live' } }],
  ])('live, said %s, is believed when a session attested it', (_, told) => {
    expect(settleExecutedVia(attested, told)).toEqual({
      executedVia: 'live',
      reported: null,
      route: 'live',
      reason: null,
    });
  });

  test.each([unattested, pushed])(
    'live without attestation becomes live_unverified, and says so',
    (facts) => {
      expect(settleExecutedVia(facts, { ...nothing, metadata: { executed_via: 'live' } })).toEqual({
        executedVia: 'live_unverified',
        reported: 'live',
        route: 'live_unverified',
        reason: 'live_not_attested',
      });
    },
  );

  test('the top wins over the metadata', () => {
    const told = { ...nothing, executed_via: 'cron', metadata: { executed_via: 'live' } };
    expect(settleExecutedVia(unattested, told)).toMatchObject({ executedVia: 'cron', reason: null });
    const other = { ...nothing, executed_via: 'live', metadata: { executed_via: 'cron' } };
    expect(settleExecutedVia(unattested, other)).toMatchObject({ executedVia: 'live_unverified' });
  });

  test.each([5, null, { via: 'live' }, 'x'.repeat(51), 'a\0b', '\ud800'])(
    'metadata that says %j says nothing',
    (metadataVia) => {
      expect(
        settleExecutedVia(pushed, { ...nothing, metadata: { executed_via: metadataVia } }),
      ).toMatchObject({
        executedVia: 'background',
        reported: null,
      });
    },
  );

  test('other words pass, and what is not said is what the server knows', () => {
    expect(settleExecutedVia(pushed, { ...nothing, executed_via: 'my-runner' }).executedVia).toBe(
      'my-runner',
    );
    const silent = ([attested, unattested, pushed] as const).map((facts) =>
      settleExecutedVia(facts, nothing),
    );
    expect(silent.map(({ executedVia }) => executedVia)).toEqual(['live', 'live_unverified', 'background']);
    expect(
      settleExecutedVia({ live_claimed_at: null, channel: null, route: null }, nothing).executedVia,
    ).toBeNull();
  });

  test('a metadata value that is no text is not a claim', () => {
    expect(settleExecutedVia(pushed, { ...nothing, metadata: { executed_via: 7 } }).executedVia).toBe(
      'background',
    );
  });
});

const routeTold = (facts: ExecutionFacts, route: DeliveryRoute) =>
  settleExecutedVia(facts, { ...nothing, executed_via: 'x', delivery_route: route }).route;

describe('executed via › route', () => {
  test('of an attested execution can only be lowered to live_unverified', () => {
    const changes = DELIVERY_ROUTE_NAMES.filter((route) => routeTold(attested, route) !== 'live');
    expect(changes).toEqual(['live_unverified']);
  });

  test('of an unattested push may be stated as background', () => {
    for (const facts of [unattested, pushed]) {
      const changes = DELIVERY_ROUTE_NAMES.filter((route) => routeTold(facts, route) !== facts.route);
      expect(changes).toEqual(
        (['background_direct', 'background_fallback'] as const).filter((route) => route !== facts.route),
      );
    }
  });

  test('of an inbox or webhook delivery is the server’s alone', () => {
    for (const route of ['inbox_direct', 'webhook_fallback'] as const) {
      const facts: ExecutionFacts = { live_claimed_at: null, channel: 'inbox', route };
      for (const told of DELIVERY_ROUTE_NAMES) expect(routeTold(facts, told)).toBe(route);
    }
  });
});
