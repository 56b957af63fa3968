import { CHANNELS } from '@parley/protocol/delivery/vocabulary';
import { describe, expect, test } from 'vitest';
import { checkPreferredContact, effectiveCapabilities } from './capabilities.ts';
import { EMPTY_PROFILE, mergeProfile, profileAnswer } from './profile.ts';

describe('profile', () => {
  const full = mergeProfile(EMPTY_PROFILE, {
    display_name: 'Scout',
    specialization: 'search',
    tools: ['grep'],
    work_style: 'sync',
  });

  test('merges key by key; null clears, absence keeps', () => {
    expect(mergeProfile(full, {})).toEqual(full);
    expect(mergeProfile(full, { specialization: null, tools: null })).toEqual({
      ...full,
      specialization: null,
      tools: [],
    });
  });

  test('the work style has two names and one value', () => {
    const styles = (['preferred_contact', 'work_style'] as const).map((name) =>
      profileAnswer(mergeProfile(EMPTY_PROFILE, { [name]: 'async' })),
    );
    for (const style of styles)
      expect(style).toMatchObject({ preferred_contact: 'async', work_style: 'async' });
    expect(mergeProfile(full, { preferred_contact: null }).workStyle).toBeNull();
    expect(mergeProfile(full, { preferred_contact: 'async', work_style: 'async' }).workStyle).toBe('async');
  });

  test.each([
    { preferred_contact: 'sync', work_style: 'async' },
    { preferred_contact: null, work_style: 'async' },
  ] as const)('%j contradicts itself', (patch) => {
    expect(() => mergeProfile(full, patch)).toThrow(expect.objectContaining({ code: 'work_style_conflict' }));
  });
});

describe('capabilities', () => {
  const nothing = { declared: null, hasWebhookUrl: false, liveAttached: false, bgSeen: false };

  test('are derived from what is there when none were declared', () => {
    expect(effectiveCapabilities(nothing)).toEqual(['inbox']);
    const everything = { ...nothing, hasWebhookUrl: true, liveAttached: true, bgSeen: true };
    expect(effectiveCapabilities(everything)).toEqual(['live', 'bg', 'inbox', 'webhook']);
  });

  test('are left alone when they were', () => {
    const declared = ['webhook', 'live'] as const;
    expect(effectiveCapabilities({ ...nothing, declared, bgSeen: true })).toBe(declared);
  });

  test('must hold the preferred contact', () => {
    for (const preferred of CHANNELS) {
      const check = () => checkPreferredContact(preferred, ['bg', 'inbox']);
      if (preferred === 'bg' || preferred === 'inbox') expect(check).not.toThrow();
      else expect(check).toThrow(expect.objectContaining({ code: 'preferred_contact_not_in_capabilities' }));
    }
    expect(() => checkPreferredContact(null, ['bg'])).not.toThrow();
  });
});
