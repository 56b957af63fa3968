import type { ExecutionAnswer } from '@parley/protocol/delivery/types';

/** Who took an execution, by what it says now; each that can leaves a line of its own in the trace. */
export const winners = ({ routing_trace: trace }: ExecutionAnswer): string[] =>
  trace.flatMap(({ step, result }) => {
    if (step === 'claim' && result === 'claimed') return ['claim'];
    if (step === 'live_claim' && result === 'claimed') return ['live_claim'];
    return step === 'live_window' ? ['fallback'] : [];
  });
