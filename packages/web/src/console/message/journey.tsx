import { executionAttempts, executionRead } from '@parley/protocol/delivery/execution-routes';
import type { AttemptsAnswer, ExecutionAnswer } from '@parley/protocol/delivery/types';
import type { ReactNode } from 'react';
import { useAnswer } from '../data.ts';
import { Card, State } from '../pieces/pieces.tsx';
import { clock } from '../pieces/time.tsx';
import { wordFor } from '../pieces/words.ts';

/** How it was routed, and what was tried. */
export function Journey(props: {
  readonly execution: string;
  readonly owner: string | undefined;
  /** Says what was sent, for so many attempts. */
  readonly request?: (attempts: number) => ReactNode;
}) {
  const { execution, owner, request } = props;
  const asked = { input: { path: [execution] }, owner, kinds: ['executions'] as const };
  const run = useAnswer<ExecutionAnswer>(executionRead, asked);
  const tried = useAnswer<AttemptsAnswer>(executionAttempts, asked);
  if (!run.data) return null;
  return (
    <div className="columns">
      <Card title="Why it went this way">
        <ol className="trace">
          {run.data.routing_trace.map(({ at, step, result, reason }) => (
            <li key={`${at} ${step} ${result}`}>
              <time dateTime={at} className="soft small">
                {clock(at)}
              </time>{' '}
              <strong>{wordFor(step)}</strong> {wordFor(result)}
              {reason && <span className="soft">, {wordFor(reason)}</span>}
            </li>
          ))}
        </ol>
      </Card>
      <Card title="Attempts">
        {(tried.data?.attempts.length ?? 0) === 0 ? (
          <p className="soft">No webhook was called for it.</p>
        ) : (
          <ol className="trace">
            {tried.data?.attempts.map(({ attempt, at, status, error_type: error, latency_ms: ms }) => (
              <li key={attempt}>
                <time dateTime={at} className="soft small">
                  {clock(at)}
                </time>{' '}
                <State state={error ?? String(status)} tone={error ? 'bad' : 'good'} />{' '}
                <span className="soft">
                  {status !== null && `HTTP ${status}, `}
                  {ms !== null && `${ms} ms`}
                </span>
              </li>
            ))}
          </ol>
        )}
        {(tried.data?.attempts.length ?? 0) > 0 && request?.(tried.data?.attempts.length ?? 0)}
        {run.data.response_body && (
          <>
            <h3>Last answer</h3>
            <pre className="answer" tabIndex={0}>
              {run.data.response_body}
            </pre>
          </>
        )}
        {run.data.error_message && <p className="danger-text">{wordFor(run.data.error_message)}</p>}
      </Card>
    </div>
  );
}
