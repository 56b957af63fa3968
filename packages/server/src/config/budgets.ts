import { type Config, variableName } from './settings.ts';

/** How much of one kind an owner may have at a time. */
export interface Budget {
  readonly kind: string;
  /** Null: no limit. */
  readonly limit: number | null;
  /** The variable that changes it. */
  readonly setting: string;
}

type BudgetName = Extract<keyof Config, `budget${string}`>;

const MEGABYTE = 1024 * 1024;

/** What one account may hold, on every plan: a program gone wild, or a stranger, must not fill the store of all. */
export type Budgets = Readonly<ReturnType<typeof budgetsOf>>;

export function budgetsOf(config: Config) {
  const budget = (kind: string, name: BudgetName, unit = 1): Budget => ({
    kind,
    limit: config[name] === 0 ? null : config[name] * unit,
    setting: variableName(name),
  });
  return {
    agents: budget('agents', 'budgetAgents'),
    keys: budget('keys', 'budgetKeys'),
    liveSessions: budget('live sessions', 'budgetLiveSessions'),
    /** Of stored messages, those of rooms among them, and of runs of cues. */
    bytes: budget('bytes of messages and runs', 'budgetBytes', MEGABYTE),
    /** In every status. */
    cues: budget('cues', 'budgetCues'),
    /** Of memory, in every state: capsules, documents, tasks, reminders and what agents exchange. */
    documents: budget('documents', 'budgetDocuments'),
    /** As many as of messages, again. */
    documentBytes: budget('bytes of documents', 'budgetBytes', MEGABYTE),
  };
}

export const budgetText = ({ kind, limit, setting }: Budget, current: number): string =>
  `this account has ${current} ${kind}, and may have ${limit} (${setting}). Remove what is not needed`;
