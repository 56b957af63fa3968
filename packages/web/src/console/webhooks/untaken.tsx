import { consoleExecutions, type ExecutionsAnswer } from '@parley/protocol/console/view-routes';
import { consoleWebhookUntaken, type ConsoleWebhookUntakenAnswer } from '@parley/protocol/console/webhook-routes';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAnswer } from '../data.ts';
import { Waiting } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';
import { attempt } from '../pieces/toasts.tsx';
import { wordFor } from '../pieces/words.ts';
import { type Endpoint, failedRuns, replayRun, replayWaiting } from './replay.ts';

interface Row {
  readonly id: string;
  readonly what: string;
  readonly view: string | null;
  readonly why: string | null;
  readonly at: string;
  readonly again: () => Promise<unknown>;
}

const MOST = 50;

/** What an endpoint did not take, newest first, each to be sent again by itself. */
export function Untaken({ endpoint }: { readonly endpoint: Endpoint }) {
  const [done, setDone] = useState<ReadonlySet<string>>(new Set());
  const waiting = useAnswer<ConsoleWebhookUntakenAnswer>(consoleWebhookUntaken, { input: { path: [endpoint.id] }, kinds: ['webhooks'] });
  const asked = failedRuns(endpoint);
  const failed = useAnswer<ExecutionsAnswer>(consoleExecutions, { input: asked, kinds: ['executions'], enabled: asked !== undefined });
  const rows: Row[] = [
    ...(waiting.data?.deliveries ?? []).map(({ id, event, view, error, at, given_up: over }) => ({
      id,
      what: event,
      view,
      why: error ?? (over ? 'given up' : 'waits for another try'),
      at,
      again: () => replayWaiting(endpoint, { delivery: id }),
    })),
    ...(failed.data?.executions ?? []).map((run) => ({
      id: run.id,
      what: run.task ?? run.source,
      view: run.message_id === null ? `/executions?id=${run.id}` : `/messages/${run.message_id}`,
      why: run.error,
      at: run.updated_at,
      again: () => replayRun(run.id, endpoint),
    })),
  ]
    .filter(({ id }) => !done.has(id))
    .toSorted((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, MOST);
  const again = (row: Row): Promise<void> =>
    attempt(async () => {
      await row.again();
      setDone(new Set([...done, row.id]));
    }, 'It is sent again');
  return (
    <Waiting of={asked && failed.isPending ? failed : waiting}>
      {rows.length === 0 ? (
        <p className="soft">Nothing is left that it did not take.</p>
      ) : (
        <ul className="needs untaken" aria-label="What it did not take">
          {rows.map((row) => (
            <li key={row.id}>
              <div>
                {row.view === null ? wordFor(row.what) : <Link href={row.view}>{wordFor(row.what)}</Link>}
                <div className="soft small">
                  {row.why && <span className="why">{wordFor(row.why)} · </span>}
                  <Moment at={row.at} />
                </div>
              </div>
              <button type="button" className="button quiet" aria-label={`Send again: ${wordFor(row.what)} ${row.id}`} onClick={() => void again(row)}>
                Send again
              </button>
            </li>
          ))}
        </ul>
      )}
    </Waiting>
  );
}
