import { z } from 'zod';
import type { JsonSchema, ToolDeclaration } from './tool.ts';

/** What every failure answers with, whatever the tool; where an answer has one of these names, its type stays open. */
const FAILURE = new Set(['ok', 'status', 'detail']);

const made = new WeakMap<ToolDeclaration, JsonSchema>();

/** A list of all members of all answers would cost an agent more than the tools themselves. */
const MOST_TOLD = 3;

/** What comes back, as far as its first members tell. Clients hold failures against it as well, so nothing is required. */
export function outputSchema(tool: ToolDeclaration): JsonSchema {
  const known = made.get(tool);
  if (known) return known;
  const schema = { type: 'object', ...membersOf(tool) };
  made.set(tool, schema);
  return schema;
}

function membersOf({ route: { answer } }: ToolDeclaration): JsonSchema {
  if (!answer) return {};
  const { properties } = z.toJSONSchema(answer, { io: 'output', unrepresentable: 'any' }) as {
    properties?: Record<string, JsonSchema>;
  };
  if (!properties) return {};
  return {
    properties: Object.fromEntries(
      Object.entries(properties)
        .slice(0, MOST_TOLD)
        .map(([name, schema]) => [name, FAILURE.has(name) ? {} : typeOf(schema)]),
    ),
  };
}

function typeOf({ type, anyOf }: JsonSchema): JsonSchema {
  if (type !== undefined) return { type };
  const types = Array.isArray(anyOf) ? anyOf.map((each: JsonSchema) => each.type) : [];
  const plain = types.every((each) => typeof each === 'string');
  return types.length > 0 && plain ? { type: [...new Set(types)] } : {};
}
