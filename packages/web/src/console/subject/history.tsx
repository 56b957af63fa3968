import type { Revision } from '@parley/protocol/continuity/list-answers';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useMayChange } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { useFilter } from '../pieces/filters.tsx';
import { Card, Waiting } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';
import { tell } from '../pieces/toasts.tsx';
import { wordFor } from '../pieces/words.ts';
import { Compare } from './compare.tsx';
import { type OfSubject, restoreRevision, revisionsBefore } from './revisions.ts';

/** What was written, newest first; any two of it side by side, and each to go back to. */
export function History(of: OfSubject) {
  const { subject, owner } = of;
  const mayChange = useMayChange();
  const [restoring, setRestoring] = useState<Revision>();
  const [from, setFrom] = useFilter('from');
  const [to, setTo] = useFilter('to');
  const read = useInfiniteQuery({
    queryKey: ['history', subject, owner],
    queryFn: ({ pageParam }) => revisionsBefore(of, pageParam),
    initialPageParam: null as number | null,
    getNextPageParam: (last) => last.next_before ?? undefined,
    meta: { kinds: ['memory'] },
    enabled: owner !== '',
  });
  const revisions = read.data?.pages.flatMap((page) => page.revisions) ?? [];
  const [newest, before] = revisions.filter(({ capsule_sha256: text }) => text !== null);
  const older = Number(from) || before?.revision;
  const newer = Number(to) || newest?.revision;
  return (
    <>
      <Card title="History">
        <Waiting of={read}>
          <ol className="timeline">
            {revisions.map((revision) => (
              <Entry key={revision.revision} revision={revision}>
                {revision.capsule_sha256 !== null && (
                  <span className="revision-actions">
                    <Pick side="older" revision={revision.revision} chosen={older} onPick={setFrom} />
                    <Pick side="newer" revision={revision.revision} chosen={newer} onPick={setTo} />
                    {mayChange && (
                      <button type="button" className="button quiet" onClick={() => setRestoring(revision)}>
                        Restore
                      </button>
                    )}
                  </span>
                )}
              </Entry>
            ))}
          </ol>
          {read.hasNextPage && (
            <button type="button" className="button quiet" onClick={() => void read.fetchNextPage()}>
              Show more
            </button>
          )}
        </Waiting>
      </Card>
      {older !== undefined && newer !== undefined && older !== newer && <Compare {...of} from={older} to={newer} />}
      {restoring && (
        <Form
          title={`Restore revision ${restoring.revision} of ${subject.subject_id}`}
          verb="Restore"
          lead={<p>What it said then becomes what agents read. What it says now stays in the history.</p>}
          fields={[{ name: 'reason', label: 'Why', required: true, value: 'restored at the console' }]}
          onClose={() => setRestoring(undefined)}
          onDone={async ({ reason = '' }) => {
            await restoreRevision(of, restoring.revision, reason);
            tell(`As in revision ${restoring.revision} again`);
            return undefined;
          }}
        />
      )}
    </>
  );
}

function Entry({ revision, children }: { readonly revision: Revision; readonly children: ReactNode }) {
  const { revision: number, operation, peer_id: peer, recorded_at: at, commit_message: message, changed_fields: fields } = revision;
  return (
    <li>
      <div>
        <strong>{number}</strong> {wordFor(operation.split('.').at(-1) ?? operation)} by {peer}, <Moment at={at} />
        {message && <div className="soft small">{message}</div>}
        {fields.length > 0 && number > 1 && <div className="soft small">changed {fields.map((field) => wordFor(field.split('.').at(-1) ?? field)).join(', ')}</div>}
      </div>
      {children}
    </li>
  );
}

function Pick(props: {
  readonly side: 'older' | 'newer';
  readonly revision: number;
  readonly chosen: number | undefined;
  readonly onPick: (value: string) => void;
}) {
  const { side, revision, chosen, onPick } = props;
  return (
    <label className="pick">
      <input
        type="radio"
        name={side}
        checked={chosen === revision}
        onChange={() => onPick(String(revision))}
        aria-label={`Revision ${revision} as the ${side} one`}
      />
      <span className="soft small" aria-hidden="true">
        {side}
      </span>
    </label>
  );
}
