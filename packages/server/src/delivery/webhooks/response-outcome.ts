import { outcomeReport } from '@parley/protocol/delivery/requests/execution-schemas';
import type { OutcomeReport } from '@parley/protocol/delivery/types';
import { parsedJson } from '@parley/protocol/json';

/** The outcome in an answer, if it is one: a JSON object with a boolean `success`. */
export function responseOutcome(answer: string): OutcomeReport | undefined {
  const value = parsedJson(answer);
  if (typeof value !== 'object' || value === null || !('success' in value)) return undefined;
  const { success } = value;
  if (typeof success !== 'boolean') return undefined;
  // A detail that cannot be taken must not cost the verdict.
  const report = outcomeReport.safeParse(value);
  return report.success ? report.data : { success };
}
