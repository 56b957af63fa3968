import { describe, expect, test } from 'vitest';
import { TurnEnd } from './turn-end.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('turn end', () => {
  test('runs everything of one turn together, in order, after the turn', async () => {
    const ran: string[] = [];
    const end = new TurnEnd(() => {});
    end.add(() => ran.push('first'));
    await Promise.resolve();
    end.add(() => ran.push('second'));
    expect(ran).toEqual([]);
    await nextTurn();
    expect(ran).toEqual(['first', 'second']);
  });

  test('leaves what is added meanwhile to the next turn, and goes on after a failure', async () => {
    const ran: string[] = [];
    const errors: unknown[] = [];
    const end = new TurnEnd((error) => errors.push(error));
    end.add(() => {
      end.add(() => ran.push('later'));
      throw new Error('broken');
    });
    end.add(() => ran.push('next'));
    await nextTurn();
    expect(ran).toEqual(['next']);
    await nextTurn();
    expect(ran).toEqual(['next', 'later']);
    expect(errors).toHaveLength(1);
  });
});
