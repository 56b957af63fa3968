import { describe, expect, test } from 'vitest';
import {
  guardLoop,
  isStatusUpdate,
  type LoopCounts,
  type LoopVerdict,
  NEW_THREAD,
  newPair,
  pairKey,
} from './loop-guard.ts';
import type { Origin } from '../../records/message-row.ts';

const LIMITS = { maxHops: 4, pairTurns: 6, pairWindowMs: 1000 };

/** Plays messages one after the other, keeping the counts as the store would. */
class Talk {
  counts: LoopCounts = { thread: NEW_THREAD, pair: newPair(0) };
  now = 0;

  say(sender: string, options: { origin?: Origin; exempt?: boolean; newThread?: boolean } = {}): LoopVerdict {
    const { origin = 'agent', exempt = false, newThread = false } = options;
    const counts = newThread ? { ...this.counts, thread: NEW_THREAD } : this.counts;
    const verdict = guardLoop(LIMITS, counts, { sender, origin, exempt, now: this.now });
    if (verdict.kind === 'passes') this.counts = verdict.counts;
    return verdict;
  }

  pingPong(turns: number): string[] {
    return Array.from({ length: turns }, (_, turn) => this.say(turn % 2 === 0 ? 'a' : 'b').kind);
  }
}

describe('loop guard › hops of a thread', () => {
  test('breaks when two agents have answered each other too often', () => {
    const talk = new Talk();
    expect(talk.pingPong(5)).toEqual(Array(5).fill('passes'));
    expect(talk.say('b')).toEqual({ kind: 'tripped', by: 'thread_hops', count: 5, limit: 4 });
    expect(talk.say('b').kind).toBe('tripped');
  });

  test('does not count one agent speaking many times', () => {
    const talk = new Talk();
    for (let turn = 0; turn < 100; turn++) expect(talk.say('a').kind).toBe('passes');
    expect(talk.counts.thread.hops).toBe(0);
  });

  test.each<Origin>(['human', 'cue'])('starts again when a %s speaks', (origin) => {
    const talk = new Talk();
    talk.pingPong(5);
    expect(talk.say('b', { origin }).kind).toBe('passes');
    expect(talk.counts.thread.hops).toBe(0);
    expect(talk.pingPong(4)).toEqual(Array(4).fill('passes'));
  });
});

const loopInNewThreads = (talk: Talk, turns: number): LoopVerdict[] =>
  Array.from({ length: turns }, (_, turn) => talk.say(turn % 2 === 0 ? 'a' : 'b', { newThread: true }));

describe('loop guard › turns of a pair', () => {
  test('breaks when they go on in ever new threads', () => {
    const talk = new Talk();
    const verdicts = loopInNewThreads(talk, 8);
    expect(verdicts.slice(0, 7).every(({ kind }) => kind === 'passes')).toBe(true);
    expect(verdicts[7]).toEqual({ kind: 'tripped', by: 'pair_turns', count: 7, limit: 6, until: 1000 });
  });

  test('lets them go on by themselves when the window is over, not before', () => {
    const talk = new Talk();
    loopInNewThreads(talk, 8);
    talk.now = 999;
    expect(talk.say('b', { newThread: true }).kind).toBe('tripped');
    talk.now = 1000;
    expect(talk.say('b', { newThread: true }).kind).toBe('passes');
    expect(talk.counts.pair).toEqual({ turns: 1, lastSender: 'b', windowStartedAt: 1000 });
  });

  test('starts again when a person speaks', () => {
    const talk = new Talk();
    loopInNewThreads(talk, 8);
    expect(talk.say('b', { origin: 'human', newThread: true }).kind).toBe('passes');
    expect(talk.counts.pair.turns).toBe(0);
  });

  test('a thousand messages one way are no loop', () => {
    const talk = new Talk();
    for (let turn = 0; turn < 1000; turn++) expect(talk.say('a', { newThread: true }).kind).toBe('passes');
  });
});

describe('loop guard › status updates', () => {
  test('pass a tripped guard and count for nothing', () => {
    const talk = new Talk();
    talk.pingPong(6);
    const before = talk.counts;
    expect(talk.say('b', { exempt: true }).kind).toBe('passes');
    expect(talk.counts).toEqual(before);
  });

  test.each([
    [{ metadata: { kind: 'status' }, expectsReply: false, answersStatus: false }, true],
    [{ metadata: { kind: 'status' }, expectsReply: true, answersStatus: false }, false],
    [{ metadata: { kind: 'status' }, expectsReply: false, answersStatus: true }, false],
    [{ metadata: { kind: 'note' }, expectsReply: false, answersStatus: false }, false],
    [{ metadata: {}, expectsReply: false, answersStatus: false }, false],
  ])('%j → %s', (message, expected) => {
    expect(isStatusUpdate(message)).toBe(expected);
  });
});

test('loop guard › a pair is one whoever speaks', () => {
  expect(pairKey('b', 'a')).toEqual(['a', 'b']);
  expect(pairKey('a', 'b')).toEqual(['a', 'b']);
});
