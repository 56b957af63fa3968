import { type Config, variableName } from './settings.ts';

/** How much of one kind an owner may have at a time. */
export interface Budget {
  readonly kind: string;
  /** Null: no limit. */
  readonly limit: number | null;
  /** The variable that changes it. */
  readonly setting: string;
}

/** What one account may hold, on every plan: a program gone wild, or a stranger, must not fill the store of all. */
export interface Budgets {
  readonly agents: Budget;
  readonly keys: Budget;
  readonly liveSessions: Budget;
}

export function budgetsOf(config: Config): Budgets {
  const budget = (kind: string, name: 'budgetAgents' | 'budgetKeys' | 'budgetLiveSessions'): Budget => ({
    kind,
    limit: config[name] === 0 ? null : config[name],
    setting: variableName(name),
  });
  return {
    agents: budget('agents', 'budgetAgents'),
    keys: budget('keys', 'budgetKeys'),
    liveSessions: budget('live sessions', 'budgetLiveSessions'),
  };
}
