import {
  negativeDecision,
  rationaleEntry,
  stablePreference,
  threadDescriptor,
} from '@parley/protocol/continuity/capsule';
import { isStructured, type StructuredTarget } from '@parley/protocol/continuity/patch-targets';
import type { PatchOperation } from '@parley/protocol/continuity/requests';
import type { z } from 'zod';
import { cutChars } from '../../platform/chars.ts';
import { badRequest, DetailError, refusing } from '../../wire/memory/errors.ts';
import { withoutNulls } from '../capsule/session-end.ts';

const ITEMS = {
  'continuity.negative_decisions': negativeDecision,
  'continuity.rationale_entries': rationaleEntry,
  stable_preferences: stablePreference,
  'thread_descriptor.identity_anchors': threadDescriptor.shape.identity_anchors.unwrap().element,
} satisfies Record<StructuredTarget, z.ZodType>;

/** The item of a structured list, with the text it is found by. */
export interface StructuredItem {
  readonly [key: string]: unknown;
}

/** An operation whose parts fit together; what it finds in the capsule is another matter. */
export type CheckedOperation = { readonly target: PatchOperation['target'] } & (
  | { readonly action: 'append'; readonly value: string | StructuredItem }
  | { readonly action: 'remove'; readonly match: string }
  | { readonly action: 'replace_index'; readonly index: number; readonly value: string }
  | { readonly action: 'replace_match'; readonly match: string; readonly value: StructuredItem }
);

/** Checked for all operations before anything else; with `explain` the faults of all of them are told. */
export function checkOperations(operations: readonly PatchOperation[], explain: boolean): CheckedOperation[] {
  if (!explain) return operations.map(checkOperation);
  const checked: CheckedOperation[] = [];
  refusing(true, (report) => {
    for (const [index, operation] of operations.entries()) {
      try {
        checked.push(checkOperation(operation));
      } catch (error) {
        if (!(error instanceof DetailError)) throw error;
        report(`operations[${index}]`, error.message);
      }
    }
  });
  return checked;
}

function checkOperation({ target, action, value, match, index }: PatchOperation): CheckedOperation {
  const structured = isStructured(target);
  const list = structured ? 'structured-list' : 'string-list';
  if (action === 'append') {
    if (match != null || index != null) throw refuse(`append must not specify match or index on ${target}`);
    if (value == null) throw refuse(`append requires value on ${target}`);
    return { target, action, value: structured ? itemFrom(target, value) : textFrom(target, value) };
  }
  if (action === 'remove') {
    if (value != null) throw refuse(`remove must not specify value on ${target}`);
    if (match == null) throw refuse(`remove requires match on ${list} target ${target}`);
    if (index != null) throw refuse(`remove must not specify index on ${target}`);
    return { target, action, match };
  }
  if (value == null) throw refuse(`replace_at requires value on ${target}`);
  if (structured) {
    if (match == null) throw refuse(`replace_at requires match on structured-list target ${target}`);
    if (index != null) throw refuse(`replace_at must not specify index on structured-list target ${target}`);
    return { target, action: 'replace_match', match, value: itemFrom(target, value) };
  }
  const text = textFrom(target, value);
  if (index == null) throw refuse(`replace_at requires index on string-list target ${target}`);
  if (match != null) throw refuse(`replace_at must not specify match on string-list target ${target}`);
  return { target, action: 'replace_index', index, value: text };
}

const refuse = (text: string): DetailError => badRequest(`invalid operation: ${text}`);

function textFrom(target: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw refuse(`value must be a string for string-list target ${target}`);
}

function itemFrom(target: StructuredTarget, value: unknown): StructuredItem {
  const schema: z.ZodType<object> = ITEMS[target];
  const result = schema.safeParse(value);
  if (result.success) return withoutNulls(result.data) as StructuredItem;
  throw refuse(`value for ${target} ${problemOf(result.error.issues[0])}`);
}

function problemOf(issue: z.core.$ZodIssue | undefined): string {
  if (!issue || (issue.code === 'invalid_type' && issue.path.length === 0)) return 'must be an object';
  if (issue.code === 'unrecognized_keys') return `has the unknown key ${cutChars(issue.keys[0] ?? '', 80)}`;
  return `is not valid at ${issue.path.join('.')}: ${issue.message}`;
}
