/** Where a subject is shown. Its id may be any text. */
export const subjectPath = (kind: string, id: string, owner: string): string =>
  `/memory/${kind}/${encodeURIComponent(id)}?owner=${encodeURIComponent(owner)}`;

/** The id in the address of the page, as it was before it became part of one. */
export function subjectInAddress(): string {
  const last = location.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
