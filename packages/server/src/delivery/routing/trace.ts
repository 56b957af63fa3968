/** One line of the `routing_trace`: what was looked at, what came of it and why. */
export interface TraceStep {
  /** Unix milliseconds. */
  readonly at: number;
  readonly step: TraceStepName;
  readonly result: string;
  readonly reason: string | null;
}

export type TraceStepName =
  | 'loop_guard'
  | 'requested'
  | 'live'
  | 'bg'
  | 'webhook'
  | 'inbox'
  | 'resolved'
  | 'live_window'
  | 'claim'
  | 'live_claim'
  | 'push'
  | 'recipient'
  | 'bridge'
  | 'overlap'
  | 'chain'
  | 'outcome';

export function traceStep(
  at: number,
  step: TraceStepName,
  result: string,
  reason: string | null = null,
): TraceStep {
  return { at, step, result, reason };
}
