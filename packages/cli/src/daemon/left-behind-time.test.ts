import { expect, test } from 'vitest';
import type { AgentConfig } from './daemon-config.ts';
import { stillRuns } from './left-behind.ts';
import type { WakeItem } from './wake-item.ts';

const BEGUN = Date.UTC(2026, 5, 1, 9);
const item = { starting_at: new Date(BEGUN).toISOString() } as WakeItem;
const agent = (type: 'http-hook' | 'stdout') =>
  ({ adapter: { type }, timeoutSeconds: 600 }) as unknown as AgentConfig;

test('a runtime that was called may be at it until its time is over, unless it has said that it was invoked', () => {
  const after = (ms: number, of = item, type: 'http-hook' | 'stdout' = 'http-hook') =>
    stillRuns(of, agent(type), { now: BEGUN + ms, input: '' });
  expect([after(0), after(599_999), after(600_000)]).toEqual([true, true, false]);
  expect(after(0, { ...item, invoked_at: new Date(BEGUN).toISOString() })).toBe(false);
  expect(after(0, item, 'stdout')).toBe(false);
});
