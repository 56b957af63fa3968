import { executionClaimable, workerList } from '@parley/protocol/delivery/execution-routes';
import type { ClaimableAnswer, WorkersAnswer } from '@parley/protocol/delivery/types';
import { Link } from 'wouter';
import { useAnswer, useReadsTexts } from '../data.ts';
import { useChosenOwner } from '../pieces/filters.tsx';
import { Card, Empty, State, Waiting } from '../pieces/pieces.tsx';
import { type Column, Table } from '../pieces/table.tsx';
import { Moment } from '../pieces/time.tsx';

type Offer = ClaimableAnswer['executions'][number];
type Worker = WorkersAnswer['workers'][number];

/** A worker without a list of its own takes every task. */
const takes = ({ handlers }: Worker, { task }: Offer): boolean =>
  task === null || handlers.length === 0 || handlers.includes(task);

const columnsFor = (workers: readonly Worker[]): readonly Column<Offer>[] => [
  { name: 'Task', wide: 2, sort: ({ task }) => task ?? '', show: ({ task }) => (task === null ? <span className="soft">none is named</span> : <code>{task}</code>) },
  {
    name: 'What',
    wide: 2,
    show: ({ message_id: message, cue_id: cue, cue_name: name }) =>
      message === null ? <Link href={`/cues/${cue}`}>{name ?? 'a cue'}</Link> : <Link href={`/messages/${message}`}>a message</Link>,
  },
  {
    name: 'Who could take it',
    wide: 2,
    show: (offer) => {
      const able = workers.filter((worker) => takes(worker, offer));
      if (able.length > 0) return <span className="clip">{able.map(({ worker_id: id }) => id).join(', ')}</span>;
      return <span className="warn-text">no worker says that it does this</span>;
    },
  },
  { name: 'Try', wide: 0.5, sort: ({ attempt }) => attempt, show: ({ attempt }) => attempt },
  { name: 'Due', sort: ({ scheduled_for: at }) => at, show: ({ scheduled_for: at }) => <Moment at={at} /> },
];

/** What waits to be claimed, oldest first, and by whom it could be. */
export function Claimable() {
  const owner = useChosenOwner();
  const readsTexts = useReadsTexts();
  const enabled = owner !== undefined && readsTexts;
  const offered = useAnswer<ClaimableAnswer>(executionClaimable, { owner, kinds: ['executions'], enabled });
  const known = useAnswer<WorkersAnswer>(workerList, { owner, kinds: ['executions'], enabled, every: 10_000 });
  const workers = known.data?.workers ?? [];
  if (!readsTexts) return <p className="soft">What waits for workers is shown to its owner.</p>;
  return (
    <>
      <Waiting of={offered}>
        <Table
          label="Claimable executions"
          rows={offered.data?.executions ?? []}
          columns={columnsFor(workers)}
          keyOf={({ execution_id: id }) => id}
          open={({ execution_id: id }) => `/executions?id=${id}`}
          empty={<Empty title="Nothing waits for a worker">What a worker could claim now appears here, oldest first.</Empty>}
        />
      </Waiting>
      <Card title="Workers">
        {workers.length === 0 ? (
          <p className="soft">None was heard of. A worker that asks for work shows here with the tasks it handles.</p>
        ) : (
          <ul className="plain-list">
            {workers.map((worker) => (
              <li key={worker.worker_id} className="between">
                <span>
                  <strong>{worker.worker_id}</strong> <State state={worker.heartbeat_status} />
                  <span className="soft small"> {worker.handlers.length === 0 ? 'any task' : worker.handlers.join(', ')}</span>
                </span>
                <Moment at={worker.last_heartbeat} />
              </li>
            ))}
          </ul>
        )}
      </Card>
    </>
  );
}
