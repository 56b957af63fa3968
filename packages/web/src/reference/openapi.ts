/** As much of OpenAPI 3.1 as our own document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly [bound: string]: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security: readonly object[];
  readonly 'x-auth'?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Readonly<Record<string, Content>> }>
  >;
}

export interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export const callsOf = ({ paths }: Document): Call[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

const NAMED = '#/components/schemas/';

/** The schema itself, and the name it is told by. */
export function resolved(document: Document, schema: Schema): { name?: string; schema: Schema } {
  if (schema.$ref === undefined) return { schema };
  const name = schema.$ref.replace(NAMED, '');
  return { name, schema: document.components.schemas[name] ?? {} };
}

const BOUNDS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'format'];

/** In a few words: what it may be, and between which bounds. */
export function typeWords(document: Document, given: Schema): string {
  const { name, schema } = resolved(document, given);
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map((option) => typeWords(document, option)).join(' or ');
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const type = [schema.type ?? 'anything'].flat().join(' or ');
  const list = schema.items ? ` of ${typeWords(document, schema.items)}` : '';
  const bounds = BOUNDS.flatMap((bound) =>
    isTold(schema[bound]) ? [`${bound} ${String(schema[bound])}`] : [],
  );
  return [`${name ?? type}${list}`, ...bounds].join(', ');
}

const isTold = (bound: unknown): boolean =>
  bound !== undefined && Math.abs(Number(bound)) !== Number.MAX_SAFE_INTEGER;
