import {
  type ComingAnswer,
  consoleComing,
  consoleMemory,
  consoleSchedule,
  type MemoryAnswer,
  type ScheduleAnswer,
} from '@parley/protocol/console/kept-routes';
import { Link } from 'wouter';
import { ownerIn, useAnswer } from '../data.ts';
import { subjectPath } from '../memory/subject-path.ts';
import { TrustMarks } from '../memory/trust.tsx';
import { Card, Waiting } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';

const SHOWN = 8;

/** What it remembers, what it asked to be reminded of, and what will wake it. */
export function Keeps({ address }: { readonly address: string }) {
  return (
    <div className="columns">
      <Subjects address={address} />
      <Reminders address={address} />
      <Coming address={address} />
    </div>
  );
}

function Subjects({ address }: { readonly address: string }) {
  const asked = { input: { query: { agent: address, limit: SHOWN } }, owner: ownerIn(address), kinds: ['memory'] as const };
  const found = useAnswer<MemoryAnswer>(consoleMemory, asked);
  return (
    <Card title="Memory" actions={<Link href={`/memory?agent=${address}`}>All</Link>}>
      <Waiting of={found}>
        {found.data?.subjects.length === 0 && <p className="soft">It has written no capsule.</p>}
        <ul className="plain-list">
          {found.data?.subjects.map((row) => (
            <li key={row.path}>
              <Link href={subjectPath(row.subject_kind, row.subject_id, row.owner)}>{row.thread_descriptor?.label ?? row.subject_id}</Link>{' '}
              <span className="soft small">
                {row.subject_kind}, <Moment at={row.updated_at} />
              </span>
              <div>
                <TrustMarks {...row} />
              </div>
            </li>
          ))}
        </ul>
      </Waiting>
    </Card>
  );
}

function Reminders({ address }: { readonly address: string }) {
  const asked = { input: { query: { agent: address, limit: SHOWN } }, owner: ownerIn(address), kinds: ['schedule'] as const };
  const found = useAnswer<ScheduleAnswer>(consoleSchedule, asked);
  return (
    <Card title="Schedule" actions={<Link href={`/schedule?agent=${address}`}>All</Link>}>
      <Waiting of={found}>
        {found.data?.items.length === 0 && <p className="soft">It asked to be reminded of nothing.</p>}
        <ul className="plain-list">
          {found.data?.items.map((item) => (
            <li key={item.schedule_id} className="between">
              <span className="clip">{item.title}</span>
              <Moment at={item.due_at} />
            </li>
          ))}
        </ul>
      </Waiting>
    </Card>
  );
}

function Coming({ address }: { readonly address: string }) {
  const found = useAnswer<ComingAnswer>(consoleComing, { input: { query: { agent: address } }, owner: ownerIn(address), kinds: ['cues'] });
  const fires = found.data?.fires ?? [];
  return (
    <Card title="Cues in the next 24 hours" actions={<Link href={`/cues?agent=${address}`}>All</Link>}>
      <Waiting of={found}>
        {fires.length === 0 && <p className="soft">None will wake it.</p>}
        <ul className="plain-list">
          {fires.slice(0, SHOWN).map(({ at, cue, cue_id: id }) => (
            <li key={`${id} ${at}`} className="between">
              <Link href={`/cues/${id}`} className="clip">
                {cue}
              </Link>
              <Moment at={at} />
            </li>
          ))}
        </ul>
        {fires.length > SHOWN && <p className="soft small">and {fires.length - SHOWN} more</p>}
      </Waiting>
    </Card>
  );
}
