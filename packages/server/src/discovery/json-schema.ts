import { isObject } from '@parley/protocol/json';
import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

/** Formats say it all: the pattern beside them is how zod happens to look for it. */
const KNOWN_FORMATS = new Set(['date-time', 'email', 'uri', 'uuid']);

/** What a schema takes, or with `output` what comes out of it. Answers may grow: what they do not name is not refused. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema: node }) => {
      if (KNOWN_FORMATS.has(String(node.format))) delete node.pattern;
      // Times without an offset are taken too, and have no name of their own.
      if (node.pattern?.includes('-02-29')) {
        delete node.pattern;
        node.format = 'date-time';
      }
      if (io === 'output' && node.additionalProperties === false) delete node.additionalProperties;
    },
  });
  return made;
}

/** The same with each named schema in it told by its name. */
export class NamedSchemas {
  readonly #nameOf = new Map<string, string>();
  readonly #made: [name: string, schema: JsonSchema][] = [];

  add(name: string, schema: z.ZodType, io: 'input' | 'output'): void {
    const made = jsonSchema(schema, io);
    this.#nameOf.set(JSON.stringify(made), name);
    this.#made.push([name, made]);
  }

  components(): Record<string, JsonSchema> {
    return Object.fromEntries(this.#made.map(([name, schema]) => [name, this.#membersOf(schema)]));
  }

  referring(schema: JsonSchema): JsonSchema {
    const name = this.#nameOf.get(JSON.stringify(schema));
    return name === undefined ? this.#membersOf(schema) : { $ref: `#/components/schemas/${name}` };
  }

  #membersOf(schema: JsonSchema): JsonSchema {
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, this.#member(value)]));
  }

  #member(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each: unknown) => this.#member(each));
    return isObject(value) ? this.referring(value) : value;
  }
}
