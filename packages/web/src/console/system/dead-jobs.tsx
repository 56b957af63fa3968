import { consoleDeadJobDrop, consoleDeadJobRetry, consoleDeadJobs, type DeadJobsAnswer } from '@parley/protocol/console/system-routes';
import { useState } from 'react';
import { api, errorText, queries, useAnswer } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { Card, Waiting } from '../pieces/pieces.tsx';
import { type Column, Table } from '../pieces/table.tsx';
import { Moment } from '../pieces/time.tsx';
import { tell } from '../pieces/toasts.tsx';

type Job = DeadJobsAnswer['jobs'][number];

const EVERY_MS = 5_000;

const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: [consoleDeadJobs.name] });

const retry = async (jobs: readonly Job[]): Promise<void> => {
  const done = await Promise.allSettled(jobs.map(({ id }) => api.call(consoleDeadJobRetry, { path: [id] })));
  const refused = done.find((each) => each.status === 'rejected');
  tell(refused ? errorText(refused.reason) : jobs.length === 1 ? 'It begins anew' : `${jobs.length} begin anew`);
  await refresh();
};

/** Work that gave up. It stays here until somebody retries or drops it, or its time is over. */
export function DeadJobs() {
  const read = useAnswer<DeadJobsAnswer>(consoleDeadJobs, { kinds: [], every: EVERY_MS });
  const [dropping, setDropping] = useState<readonly Job[]>([]);
  const columns: readonly Column<Job>[] = [
    { name: 'Kind', wide: 1.4, sort: ({ kind }) => kind, show: ({ kind }) => <code>{kind}</code> },
    { name: 'Why', wide: 3, show: ({ error }) => <span className="danger-text clip">{error ?? 'it did not say'}</span> },
    { name: 'Tries', wide: 0.5, sort: ({ attempts }) => attempts, show: ({ attempts }) => attempts },
    { name: 'Gave up', sort: ({ died_at: at }) => at, show: ({ died_at: at }) => <Moment at={at} /> },
    {
      name: 'Do',
      wide: 1.6,
      show: (job) => (
        <span className="row-actions">
          <button type="button" className="button quiet" onClick={() => void retry([job])}>
            Retry
          </button>
          <button type="button" className="button quiet danger-text" onClick={() => setDropping([job])}>
            Drop
          </button>
        </span>
      ),
    },
  ];
  const count = read.data?.count ?? 0;
  return (
    <Card title={count === 0 ? 'Dead jobs' : `Dead jobs: ${count}`}>
      <Waiting of={read}>
        <Table
          label="Dead jobs"
          rows={read.data?.jobs ?? []}
          columns={columns}
          keyOf={({ id }) => id}
          empty={<p className="soft">None. Background work that gives up stands here, to be tried again or dropped.</p>}
          marked={(jobs) => (
            <>
              <button type="button" className="button quiet" onClick={() => void retry(jobs)}>
                Retry
              </button>
              <button type="button" className="button quiet danger-text" onClick={() => setDropping(jobs)}>
                Drop
              </button>
            </>
          )}
        />
      </Waiting>
      {dropping.length > 0 && (
        <Form
          title={dropping.length === 1 ? `Drop a job of ${dropping[0]?.kind}` : `Drop ${dropping.length} jobs`}
          verb="Drop"
          danger
          lead={<p>What it had to do is not done any more, and it is gone from this list. This cannot be undone.</p>}
          fields={[]}
          onClose={() => setDropping([])}
          onDone={async () => {
            for (const { id } of dropping) await api.call(consoleDeadJobDrop, { path: [id] });
            tell(dropping.length === 1 ? 'Dropped' : `${dropping.length} dropped`);
            await refresh();
            return undefined;
          }}
        />
      )}
    </Card>
  );
}
