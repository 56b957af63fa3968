import { z } from 'zod';
import { RULE } from '../continuity/fields.ts';
import type { JsonSchema, ToolDeclaration } from './tool.ts';

type Properties = Record<string, JsonSchema>;

export interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Properties>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  readonly [keyword: string]: unknown;
}

const PARAMETER = /\{(\w+)\}/g;

/** Parameters of the path, in their order, as the tool calls them. */
export function pathArguments({
  route,
  params = {},
}: ToolDeclaration): [argument: string, parameter: string][] {
  const named = new Map(Object.entries(params).map(([argument, parameter]) => [parameter, argument]));
  return [...route.path.matchAll(PARAMETER)].map(([, parameter = '']) => [
    named.get(parameter) ?? parameter,
    parameter,
  ]);
}

/** The path with the names of the arguments that stand in it, so that it can be filled in from those. */
export const shownPath = (tool: ToolDeclaration): string =>
  pathArguments(tool).reduce(
    (path, [argument, parameter]) => path.replace(`{${parameter}}`, `{${argument}}`),
    tool.route.path,
  );

const made = new WeakMap<ToolDeclaration, InputSchema>();

/** The arguments of a tool as JSON Schema: path, query and body in one object. Made when it is first asked for. */
export function inputSchema(tool: ToolDeclaration): InputSchema {
  const known = made.get(tool);
  if (known) return known;
  const schema = schemaOf(tool);
  made.set(tool, schema);
  return schema;
}

function schemaOf(tool: ToolDeclaration): InputSchema {
  const { route, headers = {}, renamed = {}, without = [], fields = {}, shapes = {}, needed = [] } = tool;
  const { brief = [] } = tool;
  const parts = [route.query, route.body].flatMap((part) => (part ? [rawSchema(part)] : []));
  const properties: Properties = {};
  const required: string[] = [];
  for (const [argument] of pathArguments(tool)) {
    properties[argument] = shapes[argument] ?? { type: 'string', minLength: 1 };
    if (argument !== tool.self) required.push(argument);
  }
  for (const part of parts) {
    for (const [name, schema] of Object.entries(part.properties ?? {})) {
      if (without.includes(name)) continue;
      const shown = renamed[name] ?? name;
      const told = brief.includes(name) ? needful(plain(schema)) : withNulls(name, plain(schema));
      properties[shown] = shapes[name] ?? told;
      if (part.required?.includes(name) || needed.includes(name)) required.push(shown);
    }
  }
  for (const name of Object.keys(headers))
    properties[name] = { type: 'string', minLength: 1, maxLength: 255 };
  for (const [name, description] of Object.entries(fields)) {
    const property = properties[name];
    if (!property) throw new TypeError(`${tool.name} describes ${name}, which it does not take`);
    properties[name] = { ...property, description };
  }
  const closed =
    tool.isStrict ?? (parts.some((part) => part.additionalProperties === false) || route.path.includes('{'));
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    ...(closed && { additionalProperties: false as const }),
  };
}

interface ObjectSchema {
  readonly properties?: Record<string, JsonSchema>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

function rawSchema(schema: z.ZodType): ObjectSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as ObjectSchema;
}

/** A query is text; here a number is a number and a flag is one. */
const QUERY_WHOLE = String.raw`^\d{1,9}$`;
/** Against halves of characters and controls: the route sees to those, and a model would only wonder. */
const UNTOLD = /\\p\{C[cs]\}/;
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/** The same in fewer words: null as one more type, and without what says nothing to a caller. */
function plain(schema: unknown): JsonSchema {
  if (typeof schema !== 'object' || schema === null) return {};
  const given: JsonSchema = { ...schema };
  if (given.pattern === QUERY_WHOLE) return { type: 'integer', minimum: 0 };
  if (Array.isArray(given.enum) && given.enum.includes('True')) return { type: 'boolean' };
  const merged = withNullAsType(given);
  return Object.fromEntries(
    Object.entries(merged)
      .filter(([keyword, value]) => tells(keyword, value))
      .map(([keyword, value]) => [keyword, plainKeyword(keyword, value)]),
  );
}

function tells(keyword: string, value: unknown): boolean {
  if (keyword === RULE || keyword === '$schema' || keyword === 'example' || keyword === 'propertyNames')
    return false;
  if (keyword === 'pattern') return !UNTOLD.test(String(value));
  if (keyword === 'minLength') return value !== 0;
  if (keyword === 'maximum' || keyword === 'minimum') return Math.abs(Number(value)) !== UNBOUNDED;
  if (keyword === 'additionalProperties') return value === false || Object.keys(Object(value)).length > 0;
  return true;
}

function plainKeyword(keyword: string, value: unknown): unknown {
  if (keyword === 'properties') {
    return Object.fromEntries(Object.entries(Object(value)).map(([name, schema]) => [name, plain(schema)]));
  }
  if (keyword === 'items' || (keyword === 'additionalProperties' && value !== false)) return plain(value);
  if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'allOf') {
    return Array.isArray(value) ? value.map(plain) : value;
  }
  return value;
}

/** `anyOf: [x, null]` is x with one more type. */
function withNullAsType(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const other = anyOf.find((each: JsonSchema) => each.type !== 'null') as JsonSchema | undefined;
  if (!anyOf.some((each: JsonSchema) => each.type === 'null') || !other) return schema;
  return { ...rest, ...orNull(other) };
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, const: only, enum: words = only === undefined ? undefined : [only], ...rest } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { type: [type, 'null'], ...rest, ...(Array.isArray(words) && { enum: [...words, null] }) };
}

/** Without what may be left out, at any depth. */
function needful(schema: JsonSchema): JsonSchema {
  const { properties, required = [] } = schema as ObjectSchema;
  if (!properties) return schema;
  const members = required.map((name): [string, JsonSchema] => [name, needful(properties[name] ?? {})]);
  return { ...schema, properties: Object.fromEntries(members) };
}

/** In preserve mode null empties what a capsule may do without. */
function withNulls(name: string, schema: JsonSchema): JsonSchema {
  if (name !== 'capsule') return schema;
  return clearable(schema);
}

function clearable(schema: JsonSchema): JsonSchema {
  const { properties, required = [] } = schema as ObjectSchema;
  if (!properties) return schema;
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([key, value]) => [
        key,
        required.includes(key) ? clearable(value) : nullable(clearable(value)),
      ]),
    ),
  };
}

function nullable(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  if (Array.isArray(type) && type.includes('null')) return schema;
  return typeof type === 'string' ? orNull(schema) : schema;
}

/** Shared by the descriptions of everything that is about a subject. */
export const SUBJECT_FIELDS = {
  subject_kind: 'What the memory is about.',
  subject_id: 'Its name, chosen once and kept, such as my-project.',
} as const;
