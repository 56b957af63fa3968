import { columnText } from './artifacts/artifact.ts';
import type { HeadRow } from './artifacts/artifact-store.ts';
import { charsWithin, cutChars } from '../platform/chars.ts';

/** Hints of our own appear only when there are any. */
export function withNotices<Answer extends object>(answer: Answer, notices: readonly string[]): Answer {
  return notices.length === 0 ? answer : { ...answer, notices };
}

/** Two spellings of an id may be one subject: who asks with another than the stored one should know. */
export const aliasNotices = (storedId: string, askedId: string): string[] =>
  storedId === askedId ? [] : [`continuity_subject_id_alias:${storedId}`];

/** The same where the stored capsule was not read: what cannot be read has no spelling of its own. */
export const headAliasNotices = (row: HeadRow | undefined, askedId: string): string[] =>
  row?.readable === 1 ? aliasNotices(row.subject_id, columnText(askedId)) : [];

/** Something that is made beside what was asked for: where that fails, the rest is answered without it, and says so. */
export function attempted<Made>(
  onError: (error: unknown) => void,
  warning: string,
  make: () => Made,
): { readonly made: Made | null; readonly warnings: readonly string[] } {
  try {
    return { made: make(), warnings: [] };
  } catch (error) {
    onError(error);
    return { made: null, warnings: [warning] };
  }
}

/** A revision's message, cut to what a log shows on one line. */
export function messageOf(operation: string, kind: string, id: string, given?: string | null): string {
  return given != null && given !== '' ? given : cut(`continuity: ${operation} ${kind} ${id}`, 512);
}

export function cut(text: string, most: number): string {
  return charsWithin(text, most) ? text : `${cutChars(text, most - 3)}...`;
}
