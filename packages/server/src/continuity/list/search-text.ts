import type { Capsule } from '@parley/protocol/continuity/capsule';
import { CAPSULE_FIELDS, type Field } from '@parley/protocol/continuity/capsule-fields';
import { isObject } from '@parley/protocol/continuity/preserve-nulls';

type Told = [field: string, text: string];

/** What a model or a person wrote, by the field it stands in. */
export function authoredTexts(capsule: Capsule): Told[] {
  const { thread_descriptor, continuity, stable_preferences, source } = CAPSULE_FIELDS;
  return [
    ...told('thread_descriptor', thread_descriptor, capsule.thread_descriptor),
    ...told('continuity', continuity, capsule.continuity),
    ...textsIn(stable_preferences, capsule.stable_preferences).map(
      (text): Told => ['stable_preferences', text],
    ),
    ...told('source', source, capsule.source),
  ];
}

function told(section: string, { fields = {} }: Field, value: object | undefined): Told[] {
  const values = new Map(Object.entries(value ?? {}));
  return Object.entries(fields).flatMap(([name, field]) =>
    textsIn(field, values.get(name)).map((text): Told => [`${section}.${name}`, text]),
  );
}

function textsIn({ is, fields = {} }: Field, value: unknown): string[] {
  if (is === 'text' && typeof value === 'string') return [value];
  if (Array.isArray(value)) {
    return is === 'texts' ? value : value.flatMap((entry) => textsIn({ is: 'parts', fields }, entry));
  }
  if (!isObject(value)) return [];
  return Object.entries(fields).flatMap(([name, field]) => textsIn(field, value[name]));
}

/** Of a cold copy, whose capsule is packed away. */
export function stubTexts(stub: string): Told[] {
  const [, ...sections] = stub.split('\n## ');
  return sections.map((section): Told => {
    const end = section.indexOf('\n');
    return [`continuity.${section.slice(0, end)}`, section.slice(end + 1).trim()];
  });
}

const TERM = /[\p{L}\p{M}\p{N}_-]{2,}/gu;

/** Distinct words of at least two characters, in lower case; of a query without any, all of it is looked for. */
export function searchTerms(query: string): string[] {
  const whole = query.trim().toLowerCase();
  const words = whole.match(TERM) ?? [whole];
  return [...new Set(words)].filter((word) => word !== '');
}

export interface Match {
  readonly field: string;
  readonly snippet: string;
}

/** Where the words stand; undefined unless every one of them stands somewhere. */
export function matchesIn(texts: readonly Told[], terms: readonly string[]): Match[] | undefined {
  const missing = new Set(terms);
  const matches: Match[] = [];
  for (const [field, text] of texts) {
    const lower = text.toLowerCase();
    const found = terms.filter((term) => lower.includes(term));
    if (found.length === 0) continue;
    for (const term of found) missing.delete(term);
    matches.push({ field, snippet: snippetAround(text, lower.indexOf(found[0] ?? '')) });
  }
  return missing.size === 0 ? matches : undefined;
}

const BEFORE = 40;
const LENGTH = 160;

function snippetAround(text: string, at: number): string {
  const from = wholeCharacter(text, Math.max(0, at - BEFORE));
  const to = wholeCharacter(text, Math.min(text.length, from + LENGTH));
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

/** The same place, or one further where that is inside a character. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}
