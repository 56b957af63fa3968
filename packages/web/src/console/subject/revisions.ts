import { history, restore } from '@parley/protocol/continuity/routes';
import type { HistoryAnswer } from '@parley/protocol/continuity/list-answers';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import { api } from '../data.ts';

export interface OfSubject {
  readonly subject: { readonly subject_kind: string; readonly subject_id: string };
  readonly owner: string;
}

/** An older state becomes the newest; what is there now stays in the history. */
export const restoreRevision = (
  { subject, owner }: OfSubject,
  from: number,
  reason: string,
): Promise<unknown> =>
  api.call(restore, { body: { ...subject, from, updated_at: isoSeconds(Date.now()), reason } }, owner);

/** Newest first. */
export const revisionsBefore = (
  { subject, owner }: OfSubject,
  before: number | null,
): Promise<HistoryAnswer> =>
  api.call<HistoryAnswer>(
    history,
    { body: { ...subject, limit: 30, ...(before !== null && { before }) } },
    owner,
  );

/** The last state that had a text. */
export async function latestWithText(of: OfSubject): Promise<number> {
  const { revisions } = await revisionsBefore(of, null);
  const last = revisions.find(({ capsule_sha256: text }) => text !== null);
  if (!last) throw new TypeError('nothing of it was ever written');
  return last.revision;
}
