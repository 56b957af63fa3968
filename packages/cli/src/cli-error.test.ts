import { describe, expect, test } from 'vitest';
import { why } from './cli-error.ts';

describe('why nobody answered', () => {
  const refused = new Error('connect ECONNREFUSED 127.0.0.1:7330');

  test('is what the attempt says', () => expect(why(refused)).toBe(`: ${refused.message}`));

  test('is what the last attempt says where a name has several addresses', () => {
    const both = new AggregateError([new Error('connect ECONNREFUSED ::1:7330'), refused], '');
    expect(why(both)).toBe(`: ${refused.message}`);
  });

  test('is left out where nothing is said', () => {
    expect(why(new Error(''))).toBe('');
    expect(why(new AggregateError([], 'none'))).toBe('');
    expect(why('refused')).toBe('');
  });
});
