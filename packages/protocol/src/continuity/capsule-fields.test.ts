import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { continuityCapsule } from './capsule.ts';
import { CAPSULE_FIELDS, DESCRIPTOR_FIELDS, type Fields, STATE_FIELDS } from './capsule-fields.ts';
import { fieldOf, PATCH_TARGETS } from './patch-targets.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** The names in the schema, in its order, with those of objects and of list items inside. */
function shapeOf(schema: Schema): unknown {
  const [inner] = schema.anyOf ?? [];
  if (inner) return shapeOf(inner);
  if (schema.items) return shapeOf(schema.items);
  if (!schema.properties) return null;
  return Object.entries(schema.properties).map(([name, value]) => [name, shapeOf(value)]);
}

const namesIn = (fields: Fields): unknown =>
  Object.entries(fields).map(([name, field]) => [name, field.fields ? namesIn(field.fields) : null]);

const patchedIn = ([prefix, fields]: [string, Fields]): string[] =>
  Object.entries(fields)
    .filter(([, field]) => field.most !== undefined)
    .map(([name]) => `${prefix}${name}`);

describe('the table of fields', () => {
  test('has the fields of the schema, in its order, at every depth', () => {
    const schema = z.toJSONSchema(continuityCapsule, { io: 'output', unrepresentable: 'any' });
    expect(namesIn(CAPSULE_FIELDS)).toEqual(shapeOf(schema as Schema));
  });

  test('names every list a patch may change, and no other', () => {
    const all: [string, Fields][] = [
      ['', CAPSULE_FIELDS],
      ['continuity.', STATE_FIELDS],
      ['thread_descriptor.', DESCRIPTOR_FIELDS],
    ];
    expect(all.flatMap(patchedIn).toSorted()).toEqual(PATCH_TARGETS.toSorted());
    for (const target of PATCH_TARGETS) expect(fieldOf(target).most).toBeGreaterThan(0);
  });
});
