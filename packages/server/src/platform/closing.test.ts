import { describe, expect, test } from 'vitest';
import { Closing } from './closing.ts';

describe('closing', () => {
  test('closes last opened first, once, and goes on after a failure', async () => {
    const closing = new Closing();
    const order: string[] = [];
    closing.add(() => void order.push('first'));
    closing.add(() => Promise.reject(new Error('stuck')));
    closing.add(async () => void order.push('last'));
    await expect(closing.run()).rejects.toThrow('could not close everything');
    expect(order).toEqual(['last', 'first']);
    await closing.run();
    expect(order).toHaveLength(2);
  });
});
