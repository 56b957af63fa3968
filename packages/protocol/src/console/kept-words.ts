export const SUBJECT_ORDERS = ['salience', 'updated'] as const;
export const SCHEDULE_SIDES = ['open', 'over'] as const;
export const EXCHANGED_KINDS = ['handoff', 'shared', 'reconciliation'] as const;
export type ExchangedKind = (typeof EXCHANGED_KINDS)[number];
