import { continuityCapsule } from '@parley/protocol/continuity/capsule';
import { RULE } from '@parley/protocol/continuity/fields';
import { z } from 'zod';
import { baseCapsule, type SentCapsule, T } from './base-capsule.ts';

/** The parts of JSON Schema that the capsule's uses. */
interface Node {
  type?: string;
  enum?: string[];
  anyOf?: Node[];
  items?: Node;
  properties?: Record<string, Node>;
  required?: string[];
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  minimum?: number;
  maximum?: number;
  [RULE]?: number;
}

export interface Bound {
  /** Keys from the capsule or the body down; `[]` for an item of a list. */
  readonly path: readonly string[];
  readonly kind: 'length' | 'items' | 'keys' | 'number';
  readonly least: number;
  readonly most: number;
  readonly status: 400 | 422;
  readonly node: Node;
}

const nodeOf = (schema: z.ZodType): Node => z.toJSONSchema(schema, { io: 'input' }) as Node;
const root = nodeOf(continuityCapsule);

/** Every bound the published schema states, wherever it stands. */
export const CAPSULE_BOUNDS: readonly Bound[] = [...boundsIn(root, [])];

/** Every bound of a request but those of the capsule in it, and a body with a value put at the place of each. */
export function requestBounds(schema: z.ZodType) {
  const request = nodeOf(schema);
  const own = [...boundsIn(request, [])].filter(({ path: [first = ''] }) => !first.endsWith('capsule'));
  return {
    own,
    bodyWith: (usual: object, { path }: Bound, value: unknown): object => {
      const body = structuredClone(usual) as Record<string, unknown>;
      put(body, request, path, value, []);
      return body;
    },
  };
}

function* boundsIn(node: Node, path: readonly string[]): Generator<Bound> {
  for (const choice of node.anyOf ?? []) if (choice.type !== 'null') yield* boundsIn(choice, path);
  const status = node[RULE] === 400 ? 400 : 422;
  const {
    minLength: least = 0,
    maxLength: longest,
    minItems: few = 0,
    maxItems: many,
    maxProperties: keys,
  } = node;
  if (longest !== undefined) yield { path, kind: 'length', least, most: longest, status, node };
  if (many !== undefined) yield { path, kind: 'items', least: few, most: many, status, node };
  if (keys !== undefined) yield { path, kind: 'keys', least: 0, most: keys, status, node };
  const { minimum, maximum } = node;
  if (minimum !== undefined && maximum !== undefined) {
    yield { path, kind: 'number', least: minimum, most: maximum, status, node };
  }
  if (node.items) yield* boundsIn(node.items, [...path, '[]']);
  for (const [key, inner] of Object.entries(node.properties ?? {})) yield* boundsIn(inner, [...path, key]);
}

/** A value of exactly this size. */
export function valueOf({ kind, node, path }: Bound, size: number, letter = 'x'): unknown {
  if (kind === 'number') return size;
  if (kind === 'length') return letter.repeat(size);
  if (kind === 'keys')
    return Object.fromEntries(Array.from({ length: size }, (_, index) => [`k${index}`, index]));
  return Array.from({ length: size }, (_, index) => sample(node.items ?? {}, [...path, '[]'], index));
}

/** The usual capsule with a value put at a place, and whatever else is needed for the place to be there. */
export function capsuleWith({ path }: Bound, value: unknown, id: string): SentCapsule {
  const described = path[0] === 'thread_descriptor';
  const capsule = baseCapsule(described ? 'thread' : 'user', id);
  put(capsule, root, path, value, []);
  if (path.at(-1) === 'supersedes') {
    capsule.continuity.rationale_entries?.push({ ...ENTRY, tag: String(value) });
  }
  return capsule;
}

const ENTRY = { kind: 'decision', status: 'superseded', summary: 's', reasoning: 'r' } as const;

function put(
  holder: Record<string, unknown>,
  node: Node,
  path: readonly string[],
  value: unknown,
  done: readonly string[],
): void {
  const [key = '', ...rest] = path;
  const inner = bare(node).properties?.[key] ?? {};
  const here = [...done, key];
  if (rest.length === 0) {
    holder[key] = value;
  } else if (rest[0] === '[]') {
    const item = bare(inner).items ?? {};
    const below = rest.slice(1);
    const made = below.length === 0 ? value : sample(item, [...here, '[]'], 0);
    if (below.length > 0) put(made as Record<string, unknown>, item, below, value, [...here, '[]']);
    holder[key] = [made];
  } else {
    holder[key] ??= sample(inner, here, 0);
    put(holder[key] as Record<string, unknown>, inner, rest, value, here);
  }
}

const bare = (node: Node): Node => node.anyOf?.find((choice) => choice.type !== 'null') ?? node;

/** Something small and valid; the number makes items of a list differ. */
function sample(of: Node, path: readonly string[], index: number): unknown {
  const node = bare(of);
  if (node.enum) return node.enum[0];
  if (node.type === 'array') return [];
  if (node.type === 'number' || node.type === 'integer') return node.minimum ?? 0;
  if (node.type !== 'object') return textAt(path, index);
  const required = node.required ?? [];
  return Object.fromEntries(
    required.map((key) => [key, sample(node.properties?.[key] ?? {}, [...path, key], index)]),
  );
}

function textAt(path: readonly string[], index: number): string {
  const place = path.join('.');
  if (place.endsWith('_at')) return T(1);
  if (/(canonical_sources|load_next)\.\[\]$/.test(place)) return `memory/f${index}`;
  if (place.endsWith('scope_anchors.[]')) return `user:u${index}`;
  if (place.endsWith('related_documents.[].kind')) return 'design';
  if (place.endsWith('related_documents.[].path')) return `docs/f${index}.md`;
  return `text${index}`;
}
