import { read } from '@parley/protocol/continuity/routes';
import type { StartupAnswer } from '@parley/protocol/continuity/answers';
import { useParams } from 'wouter';
import { useAnswer, useMayChange, useReadsTexts, useSession } from '../data.ts';
import { useFilter } from '../pieces/filters.tsx';
import { AsCurl, Card, Copy, Empty, Page, State, Waiting } from '../pieces/pieces.tsx';
import { subjectInAddress } from '../memory/subject-path.ts';
import { trustSentences } from '../memory/trust.tsx';
import { SubjectActions } from './actions.tsx';
import { Capsule } from './capsule.tsx';
import { Graph } from './graph.tsx';
import { History } from './history.tsx';
import { Related } from './related.tsx';

/** One subject: what is remembered of it, how that came about, and what it hangs together with. */
export function Subject() {
  const { kind } = useParams<{ kind: string }>();
  const id = subjectInAddress();
  const session = useSession();
  const [asked] = useFilter('owner');
  const owner = session.owner?.slug ?? asked;
  const mayChange = useMayChange();
  const readsTexts = useReadsTexts();
  const subject = { subject_kind: kind, subject_id: id };
  const body = { ...subject, view: 'startup', allow_fallback: true };
  const seen = useAnswer<StartupAnswer>(read, { input: { body }, owner, kinds: ['memory', 'schedule'], enabled: readsTexts && owner !== '' });
  const capsule = seen.data?.capsule ?? undefined;
  const of = { subject, owner };
  if (!readsTexts)
    return (
      <Page title="Subject" of={id}>
        <p className="soft">You see that something is remembered of this, not what: the server runs with operator_reads=names.</p>
      </Page>
    );
  return (
    <Page
      title="Subject"
      of={capsule?.thread_descriptor?.label ?? id}
      lead={
        <span className="id">
          {kind} <code>{id}</code> <Copy text={id} />
          {capsule?.thread_descriptor?.lifecycle && <State state={capsule.thread_descriptor.lifecycle} />}
          {seen.data && seen.data.source_state !== 'active' && <State state={seen.data.source_state} tone="warn" />}
        </span>
      }
      actions={mayChange && capsule && seen.data?.source_state === 'active' && <SubjectActions {...of} capsule={capsule} />}
    >
      <Waiting of={seen}>
        {seen.data && seen.data.source_state !== 'active' && (
          <Empty title="There is no active capsule of this subject">
            It was archived or deleted, or cannot be read. What was written stands in the history, and can be restored
            {capsule ? '; below is the copy from before.' : '.'}
          </Empty>
        )}
        {seen.data && capsule && (
          <>
            <div className="columns">
              <Capsule seen={seen.data} capsule={capsule} />
              <div className="stack">
                {seen.data.trust_signals && (
                  <Card title="How far to rely on it">
                    <ul className="plain-list">
                      {trustSentences(seen.data.trust_signals).map((text) => (
                        <li key={text}>{text}</li>
                      ))}
                    </ul>
                  </Card>
                )}
                <Related capsule={capsule} seen={seen.data} {...of} />
              </div>
            </div>
            {seen.data.graph_summary && <Graph graph={seen.data.graph_summary} owner={owner} />}
          </>
        )}
      </Waiting>
      <History {...of} />
      <AsCurl method="POST" path="/v1/continuity/read" body={body} />
    </Page>
  );
}
