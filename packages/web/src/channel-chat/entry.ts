import { countOf, fieldsOf, textOf } from '../shared/fields.ts';

export type SendState = 'sending' | 'sent' | 'failed';

export interface MessageEntry {
  readonly kind: 'message';
  readonly id: string;
  readonly from: string;
  readonly own: boolean;
  /** Addressed to this person only. */
  readonly aside: boolean;
  /** Whom it is addressed to; empty for everyone. */
  readonly to: string;
  readonly text: string;
  readonly at: number;
  /** Where it stands in the channel's log; -1 until that is known. */
  index: number;
  state: SendState;
  /** Why sending failed, in words. */
  problem: string;
}

export interface LineEntry {
  readonly kind: 'line';
  readonly id: string;
  readonly tone: 'soft' | 'warn';
  readonly text: string;
  readonly at: number;
}

export type Entry = MessageEntry | LineEntry;

/** Reads back what an earlier visit stored; null for anything else that may stand in the storage. */
export function readEntry(value: unknown): Entry | null {
  const fields = fieldsOf(value);
  const base = { id: textOf(fields['id']), text: textOf(fields['text']), at: countOf(fields['at']) };
  if (base.id === '' || base.text === '') return null;
  if (fields['kind'] === 'line') {
    return { kind: 'line', tone: fields['tone'] === 'warn' ? 'warn' : 'soft', ...base };
  }
  if (fields['kind'] !== 'message') return null;
  // Whatever was on its way when the page went is not known to have arrived.
  const state = fields['state'] === 'sent' ? 'sent' : 'failed';
  const problem = state === 'sent' ? '' : 'The page was closed before this was sent.';
  const own = fields['own'] === true;
  return {
    kind: 'message',
    from: textOf(fields['from']),
    own,
    aside: fields['aside'] === true,
    to: textOf(fields['to']) || (fields['aside'] === true ? 'you' : ''),
    index: typeof fields['index'] === 'number' ? fields['index'] : -1,
    state,
    problem,
    ...base,
  };
}
