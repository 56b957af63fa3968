/** What a scenario found: figures to read, and targets that were met or not. */
export interface ScenarioResult {
  readonly name: string;
  readonly rows: readonly { label: string; value: string }[];
  readonly checks: readonly Check[];
}

export interface Check {
  readonly label: string;
  readonly actual: number;
  readonly limit: number;
  readonly ok: boolean;
}

export const atLeast = (label: string, actual: number, limit: number): Check => ({
  label: `${label} (at least ${limit})`,
  actual,
  limit,
  ok: actual >= limit,
});

export const atMost = (label: string, actual: number, limit: number): Check => ({
  label: `${label} (at most ${limit})`,
  actual,
  limit,
  ok: actual <= limit,
});

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits));
