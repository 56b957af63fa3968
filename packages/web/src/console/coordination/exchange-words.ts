import type { KeptExchange } from '@parley/protocol/console/kept-routes';

/** What it is about, in one line. */
export function titleOf({ handoff, shared, reconciliation }: KeptExchange): string {
  if (handoff) {
    const { subject_kind: kind, subject_id: id } = handoff.source_selector;
    return `${kind} ${id}${handoff.note ? `: ${handoff.note}` : ''}`;
  }
  return shared?.title ?? reconciliation?.title ?? 'its words are not yours to read';
}
