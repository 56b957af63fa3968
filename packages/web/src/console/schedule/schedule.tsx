import { consoleSchedule, type KeptItem, type ScheduleAnswer } from '@parley/protocol/console/kept-routes';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { useMayChange } from '../data.ts';
import { subjectPath } from '../memory/subject-path.ts';
import { Choice, OwnerFilter, TextFilter, useFilter, useMayMake } from '../pieces/filters.tsx';
import { usePages } from '../pieces/pages.ts';
import { Card, Empty, Page, State, Waiting } from '../pieces/pieces.tsx';
import { useRowKeys } from '../pieces/row-keys.ts';
import { dayOf, Moment } from '../pieces/time.tsx';
import { ItemActions, NewItem } from './actions.tsx';

/** What agents asked to be reminded of: what is overdue first, then day by day. */
export function Schedule() {
  const [owner] = useFilter('owner');
  const [agent] = useFilter('agent');
  const [side] = useFilter('side');
  const [making, setMaking] = useState(false);
  const mayMake = useMayMake();
  const box = useRef<HTMLDivElement>(null);
  useRowKeys(box);
  const query = { owner: owner || undefined, agent: agent.includes('@') ? agent : undefined, side: side || undefined };
  const found = usePages<ScheduleAnswer>(consoleSchedule, query, ['schedule'], owner || undefined);
  const items = found.pages.flatMap((page) => page.items);
  return (
    <Page
      title="Schedule"
      lead="What agents asked to be reminded of."
      actions={
        mayMake && (
          <button type="button" className="button" onClick={() => setMaking(true)}>
            New reminder
          </button>
        )
      }
    >
      <div className="filters">
        <Choice name="side" label="Show" choices={['over']} usual="to come" />
        <TextFilter name="agent" label="Asked by" placeholder="name@owner" />
        <OwnerFilter />
      </div>
      <Waiting of={found}>
        <div ref={box} className="stack">
          {items.length === 0 && (
            <Empty title={side === 'over' ? 'Nothing is over yet' : 'Nobody asked to be reminded'} command="npx parley remind add 'check the hit rate' --at 'in 2h'">
              A reminder is told to an agent when it starts, or wakes it. What is due stands here, by day.
            </Empty>
          )}
          {days(items).map(([day, ofDay]) => (
            <Card key={day} title={day === OVERDUE ? `${OVERDUE}: ${ofDay.length}` : day}>
              <ul className="plain-list agenda">
                {ofDay.map((item) => (
                  <Item key={`${item.owner} ${item.schedule_id}`} item={item} />
                ))}
              </ul>
            </Card>
          ))}
        </div>
        {found.more && (
          <div className="table-more">
            <button type="button" className="button quiet" onClick={found.more}>
              Show more
            </button>
          </div>
        )}
      </Waiting>
      {making && <NewItem onClose={() => setMaking(false)} />}
    </Page>
  );
}

const OVERDUE = 'Overdue';

/** In the order they come in: what is due already has a group of its own. */
function days(items: readonly KeptItem[]): [string, KeptItem[]][] {
  const groups = new Map<string, KeptItem[]>();
  for (const item of items) {
    const day = item.derived_state === 'due' ? OVERDUE : dayOf(item.due_at);
    const group = groups.get(day);
    if (group) group.push(item);
    else groups.set(day, [item]);
  }
  return [...groups];
}

function Item({ item }: { readonly item: KeptItem }) {
  const mayChange = useMayChange();
  const { title, note, due_at: at, created_by: peer, owner, thread_id: thread, task_id: task, subject_kind: kind, subject_id: subject } = item;
  const about = kind && subject ? [kind, subject] : thread ? ['thread', thread] : task ? ['task', task] : undefined;
  return (
    <li data-row tabIndex={-1} aria-label={title}>
      <div>
        <span className="item-title">{title || <span className="soft">its words are not yours to read</span>}</span>{' '}
        {item.status !== 'pending' && <State state={item.status} />}
        {note && <div className="soft small">{note}</div>}
        <div className="soft small">
          <Moment at={at} />, asked by {peer}@{owner}
          {about && (
            <>
              , about <Link href={subjectPath(about[0] ?? '', about[1] ?? '', owner)}>{about[1]}</Link>
            </>
          )}
          {item.wake && ', wakes the agent'}
          {item.terminal_reason && `, ${item.terminal_reason}`}
        </div>
      </div>
      {mayChange && item.status === 'pending' && <ItemActions item={item} />}
    </li>
  );
}
