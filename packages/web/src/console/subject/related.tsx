import { queryTasks } from '@parley/protocol/knowledge/routes';
import type { StartupAnswer } from '@parley/protocol/continuity/answers';
import type { TasksAnswer } from '@parley/protocol/knowledge/answers';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAnswer } from '../data.ts';
import { subjectPath } from '../memory/subject-path.ts';
import { Card, State } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';
import { DocumentDialog } from './document.tsx';
import type { OfSubject } from './revisions.ts';

interface Props extends OfSubject {
  readonly seen: StartupAnswer;
  readonly capsule: NonNullable<StartupAnswer['capsule']>;
}

/** Documents, tasks and reminders that have to do with it. */
export function Related({ subject, owner, seen, capsule }: Props) {
  const [shown, setShown] = useState<string>();
  const named = capsule.continuity.related_documents ?? [];
  const known = new Set(named.map(({ path }) => path));
  const documents = [
    ...named.map(({ path, label, relevance }) => ({ path, label, hint: relevance ?? '' })),
    ...(seen.graph_summary?.related_documents ?? [])
      .filter(({ path }) => !known.has(path))
      .map(({ path }) => ({ path, label: path, hint: 'linked' })),
  ];
  const reminders = [...seen.schedule_context.due.items, ...seen.schedule_context.upcoming.items];
  return (
    <>
      <Card title="Documents">
        {documents.length === 0 ? (
          <p className="soft">None is named or linked.</p>
        ) : (
          <ul className="plain-list">
            {documents.map(({ path, label, hint }) => (
              <li key={path} className="between">
                <button type="button" className="link path" onClick={() => setShown(path)}>
                  {label}
                </button>
                <span className="soft small">{hint}</span>
              </li>
            ))}
          </ul>
        )}
      </Card>
      {subject.subject_kind === 'thread' && <Tasks thread={subject.subject_id} owner={owner} />}
      {reminders.length > 0 && (
        <Card title="To be reminded of">
          <ul className="plain-list">
            {reminders.map((item) => (
              <li key={item.schedule_id} className="between">
                <span>{item.title}</span>
                <Moment at={item.due_at} />
              </li>
            ))}
          </ul>
        </Card>
      )}
      {shown !== undefined && <DocumentDialog path={shown} owner={owner} onClose={() => setShown(undefined)} />}
    </>
  );
}

function Tasks({ thread, owner }: { readonly thread: string; readonly owner: string }) {
  const found = useAnswer<TasksAnswer>(queryTasks, { input: { query: { thread_id: thread } }, owner, kinds: ['memory'] });
  const tasks = found.data?.tasks ?? [];
  if (tasks.length === 0) return null;
  return (
    <Card title="Tasks">
      <ul className="plain-list">
        {tasks.map(({ task_id: id, title, status, owner_peer: peer }) => (
          <li key={id} className="between">
            <span>
              <Link href={subjectPath('task', id, owner)}>{title}</Link> <span className="soft small">{peer}</span>
            </span>
            <State state={status} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
