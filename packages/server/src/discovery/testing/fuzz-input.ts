import type { JsonSchema } from '../json-schema.ts';

/** Numbers from a seed, so that a failure can be repeated. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(most: number): number {
    // A linear congruential generator: spread widely enough to choose by, and two lines long.
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * most);
  }

  oneOf<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('there is nothing to choose from');
    return item;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }
}

const TEXTS = [
  '',
  ' ',
  'a',
  'tide-cache',
  '0',
  '-1',
  'true',
  'null',
  '2026-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '../../etc/passwd',
  '\u0000',
  '\ud800',
  'é'.repeat(70),
  'x'.repeat(5000),
  '"; drop table x --',
  'agent_aaaaaaaaaaaa',
  'room_x',
  'http://127.0.0.1:1/',
  '* * * * *',
];
const NUMBERS = [0, 1, -1, 2, 1.5, 255, 65_536, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308];
const ANYTHING = [null, true, false, 0, '', [], {}, [null], { a: { b: [1] } }];

/** Something a schema describes, mostly; now and then something it does not. */
export function madeFrom(schema: JsonSchema, dice: Dice, depth = 0): unknown {
  if (dice.chance(6)) return dice.oneOf(ANYTHING);
  if (depth > 6) return null;
  if (Array.isArray(schema.enum)) return dice.oneOf(schema.enum as readonly unknown[]);
  if ('const' in schema) return schema.const;
  const options = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (Array.isArray(options)) return madeFrom(dice.oneOf(options as JsonSchema[]), dice, depth + 1);
  if (schema.type === undefined) return dice.chance(50) ? dice.oneOf(ANYTHING) : dice.oneOf(TEXTS);
  const type = dice.oneOf([schema.type].flat());
  if (type === 'object') return objectFrom(schema, dice, depth);
  if (type === 'array')
    return Array.from({ length: dice.below(4) }, () =>
      madeFrom((schema.items ?? {}) as JsonSchema, dice, depth + 1),
    );
  if (type === 'integer' || type === 'number')
    return dice.oneOf([...NUMBERS, Number(schema.minimum ?? 0), Number(schema.maximum ?? 9)]);
  if (type === 'boolean') return dice.chance(50);
  return type === 'null' ? null : textFrom(schema, dice);
}

function objectFrom(schema: JsonSchema, dice: Dice, depth: number): object {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  const made: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(properties)) {
    if (dice.chance(required.includes(name) ? 96 : 40)) made[name] = madeFrom(member, dice, depth + 1);
  }
  if (dice.chance(5)) made.unknown_member = dice.oneOf(ANYTHING);
  return made;
}

function textFrom({ minLength, maxLength, format }: JsonSchema, dice: Dice): string {
  if (format === 'date-time' && dice.chance(70)) return '2026-01-02T03:04:05Z';
  if (format === 'email' && dice.chance(70)) return 'ada@example.org';
  const text = dice.oneOf(TEXTS);
  if (dice.chance(30)) return text;
  const least = text.padEnd(Number(minLength ?? 0), 'a');
  return least.slice(0, Number(maxLength ?? least.length));
}
