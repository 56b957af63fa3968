import { MAX_CAPSULE_BYTES, MAX_REQUEST_BYTES, PATCH_OPERATIONS } from '@parley/protocol/continuity/limits';
import { PATCH_TARGETS } from '@parley/protocol/continuity/patch-targets';
import { patchRequest, sessionEndSnapshot, upsertRequest } from '@parley/protocol/continuity/requests';
import { retrieveRequest } from '@parley/protocol/knowledge/requests';
import { DUE_LIMIT, UPCOMING_LIMIT, UPCOMING_WINDOW_HOURS } from '@parley/protocol/schedule/limits';
import { z } from 'zod';
import { CONTEXT_CAPS, SUMMARY_CAPS } from '../../knowledge/graph/section.ts';

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly maxProperties?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface Limit {
  readonly field_path: string;
  readonly category: string;
  readonly value_type: string;
  readonly max_items: number | null;
  readonly max_length: number | null;
  readonly per_item_max_length: number | null;
  readonly subfield_limits: object | null;
  readonly applies_to: readonly string[];
  readonly correction_guidance: string;
  readonly reference: string;
}

interface Group {
  readonly id: string;
  readonly title: string;
  readonly purpose: string;
  readonly applies_to: readonly string[];
  limits(): readonly Bounds[];
}

type Bounds = [path: string, bounds: Partial<Limit>];

/* The bounds are read off the schemas that check requests, and off the constants that cut answers: there is no second copy. */

const schemaOf = (schema: z.ZodType): Schema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;

/** The alternative beside null. */
const plain = (schema: Schema): Schema => schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;

function boundsOf(given: Schema, usual?: unknown): Partial<Limit> {
  const {
    type = 'any',
    items,
    properties,
    maxItems,
    maxLength,
    maxProperties,
    minimum,
    maximum,
  } = plain(given);
  if (type === 'array') {
    const item = items && plain(items);
    return {
      value_type: `array of ${item?.type ?? 'any'}`,
      max_items: maxItems ?? null,
      per_item_max_length: item?.maxLength ?? null,
      subfield_limits: item?.properties ? partsOf(item.properties) : null,
    };
  }
  if (type === 'object') {
    return {
      value_type: 'object',
      max_items: maxProperties ?? null,
      subfield_limits: properties ? partsOf(properties) : null,
    };
  }
  if (minimum === undefined && maximum === undefined)
    return { value_type: type, max_length: maxLength ?? null };
  return {
    value_type: type,
    subfield_limits: { ...(usual !== undefined && { default: usual }), minimum, maximum },
  };
}

const partsOf = (properties: Readonly<Record<string, Schema>>): object =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, boundsOf(schema)]));

const isBounded = ({
  max_items: items,
  max_length: length,
  subfield_limits: parts,
}: Partial<Limit>): boolean => items != null || length != null || parts != null;

/** Those of the fields of an object that have bounds. */
function fieldsOf(
  schema: Schema | undefined,
  prefix: string,
  usual: Readonly<Record<string, unknown>> = {},
): Bounds[] {
  return Object.entries((schema && plain(schema).properties) ?? {})
    .map(([name, field]): Bounds => [`${prefix}${name}`, boundsOf(field, usual[name])])
    .filter(([, bounds]) => isBounded(bounds));
}

const capsule = (): Schema => schemaOf(upsertRequest).properties?.capsule ?? {};

function targetSchema(target: string): Schema {
  return target.split('.').reduce((at: Schema, name) => plain(at).properties?.[name] ?? {}, capsule());
}

const most = (count: number): Partial<Limit> => ({ value_type: 'array of object', max_items: count });

const capsOf = (prefix: string, caps: typeof CONTEXT_CAPS): Bounds[] =>
  Object.entries(caps).map(([name, count]) => [`${prefix}${name}`, most(count)]);

const SNAPSHOT = 'session_end_snapshot.';
const NOT_PAYLOAD = new Set(['continuity', 'subject_kind']);

const GROUPS: readonly Group[] = [
  {
    id: 'continuity_orientation',
    title: 'What orients a session',
    purpose: 'Lists and texts inside continuity of a capsule.',
    applies_to: ['continuity.upsert', 'continuity.compare', 'continuity.revalidate'],
    limits: () => fieldsOf(plain(capsule()).properties?.continuity, 'continuity.'),
  },
  {
    id: 'session_end_snapshot',
    title: 'The end of a session',
    purpose: 'What a session end may set by itself.',
    applies_to: ['continuity.upsert'],
    limits: () => fieldsOf(schemaOf(sessionEndSnapshot), SNAPSHOT),
  },
  {
    id: 'patch_targets',
    title: 'Patches',
    purpose: 'Lists that a patch may change, and how many changes it may hold.',
    applies_to: ['continuity.patch'],
    limits: () => [
      [
        'continuity.patch.operations',
        { ...boundsOf(schemaOf(patchRequest).properties?.operations ?? {}), max_items: PATCH_OPERATIONS.max },
      ],
      ...PATCH_TARGETS.map((target): Bounds => [`patch.${target}`, boundsOf(targetSchema(target))]),
    ],
  },
  {
    id: 'retrieval_budget',
    title: 'The budget of a retrieval',
    purpose: 'How much context.retrieve gathers.',
    applies_to: ['context.retrieve'],
    limits: () =>
      fieldsOf(schemaOf(retrieveRequest), 'context.retrieve.', retrieveRequest.parse({ task: '' })),
  },
  {
    id: 'response_orientation_caps',
    title: 'What answers are cut to',
    purpose: 'How many items the sections for orientation show.',
    applies_to: ['continuity.read', 'context.retrieve'],
    limits: () => [
      ...capsOf('graph_context.', CONTEXT_CAPS),
      ...capsOf('startup_graph_summary.', SUMMARY_CAPS),
      ['schedule_context.due', most(DUE_LIMIT.usual)],
      ['schedule_context.upcoming', most(UPCOMING_LIMIT.usual)],
      [
        'schedule_context.upcoming_window_hours',
        {
          value_type: 'integer',
          subfield_limits: {
            default: UPCOMING_WINDOW_HOURS.usual,
            minimum: UPCOMING_WINDOW_HOURS.least,
            maximum: UPCOMING_WINDOW_HOURS.most,
          },
        },
      ],
    ],
  },
  {
    id: 'capsule_write_cap',
    title: 'The size of a capsule',
    purpose: 'How many bytes a capsule and a request may have.',
    applies_to: ['continuity.upsert', 'continuity.patch'],
    limits: () => [
      ['capsule.serialized_utf8_bytes', { value_type: 'bytes', max_length: MAX_CAPSULE_BYTES }],
      ['request.body_bytes', { value_type: 'bytes', max_length: MAX_REQUEST_BYTES }],
    ],
  },
  {
    id: 'continuity_payload',
    title: 'The rest of a capsule',
    purpose: 'Fields of a capsule and of an upsert beside continuity.',
    applies_to: ['continuity.upsert'],
    limits: () => [
      ...fieldsOf(capsule(), 'capsule.').filter(([path]) => !NOT_PAYLOAD.has(path.slice('capsule.'.length))),
      ...fieldsOf(schemaOf(upsertRequest), 'continuity.upsert.').filter(
        ([path]) => !/\.(capsule|session_end_snapshot)$/.test(path),
      ),
    ],
  },
];

function limitFrom({ id, applies_to }: Group, path: string, bounds: Partial<Limit>): Limit {
  return {
    field_path: path,
    category: id,
    value_type: 'any',
    max_items: null,
    max_length: null,
    per_item_max_length: null,
    subfield_limits: null,
    ...bounds,
    applies_to,
    correction_guidance: guidance(bounds),
    reference: `/v1/help/limits/${path}`,
  };
}

function guidance({
  max_items: items,
  max_length: length,
  per_item_max_length: each,
}: Partial<Limit>): string {
  if (items != null && each != null)
    return `Keep at most ${items} items of at most ${each} characters; drop the least important.`;
  if (items != null) return `Keep at most ${items} items; drop the least important.`;
  if (length != null) return `Keep it to at most ${length}; say it in fewer words.`;
  return 'Stay within the bounds of subfield_limits.';
}

let made: ReadonlyMap<string, Limit> | undefined;

const limits = (): ReadonlyMap<string, Limit> =>
  (made ??= new Map(
    GROUPS.flatMap((group) =>
      group.limits().map(([path, bounds]) => [path, limitFrom(group, path, bounds)] as const),
    ),
  ));

export const limitPaths = (): readonly string[] => [...limits().keys()];

export function limitsIndex(): object {
  const all = [...limits().values()];
  return {
    kind: 'validation_limits_index',
    groups: GROUPS.map(({ id, title, purpose }) => ({
      id,
      title,
      purpose,
      field_paths: all.filter(({ category }) => category === id).map(({ field_path: path }) => path),
    })),
    field_paths: limitPaths(),
  };
}

export function limitPage(path: string): object | undefined {
  const limit = limits().get(path);
  return limit && { kind: 'validation_limit', limit };
}
