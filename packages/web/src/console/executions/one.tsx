import { executionOutcome, executionRead, executionReplay, executionVerify } from '@parley/protocol/delivery/execution-routes';
import type { ExecutionAnswer } from '@parley/protocol/delivery/types';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, useAnswer, useMayChange, useOwnerOf, useReadsTexts } from '../data.ts';
import { Journey } from '../message/journey.tsx';
import { Form } from '../pieces/dialog.tsx';
import { AsCurl, Card, Facts, Id, Page, State, Waiting } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';
import { attempt, tell } from '../pieces/toasts.tsx';
import { wordFor } from '../pieces/words.ts';

/** What one run was for, how it went and what came of it. */
export function OneExecution({ id }: { readonly id: string }) {
  const owner = useOwnerOf(id);
  const readsTexts = useReadsTexts();
  const mayChange = useMayChange();
  const enabled = owner.data !== undefined && readsTexts;
  const read = useAnswer<ExecutionAnswer>(executionRead, { input: { path: [id] }, owner: owner.data, kinds: ['executions'], enabled });
  const run = read.data?.id === id ? read.data : undefined;
  return (
    <Page
      title="Execution"
      lead={
        <>
          <Link href="/executions">All executions</Link> {run && <State state={run.status} />}
        </>
      }
      actions={mayChange && run && owner.data !== undefined && <RunActions run={run} owner={owner.data} />}
    >
      {readsTexts ? (
        <Waiting of={owner.error ? owner : read}>{run && <Run run={run} owner={owner.data} />}</Waiting>
      ) : (
        <p className="soft">You see that it ran and what failed, not what it said: the server runs with operator_reads=names.</p>
      )}
      <AsCurl method="GET" path={`/v1/executions/${id}`} />
    </Page>
  );
}

function Run({ run, owner }: { readonly run: ExecutionAnswer; readonly owner: string | undefined }) {
  const { outcome } = run;
  return (
    <>
      <div className="columns">
        <Card title="What ran">
          <Facts
            facts={[
              ['Of', run.message_id === null ? <Link key="of" href={`/cues/${run.cue_id}`}>a cue, {wordFor(run.triggered_by)}</Link> : <Link key="of" href={`/messages/${run.message_id}`}>a message</Link>],
              ['Due', <Moment key="due" at={run.scheduled_for} />],
              ['Started', <Moment key="started" at={run.started_at} />],
              ['Tries', run.attempts],
              ['Claimed by', run.claimed_by_worker],
              ['Lease until', run.lease_expires_at && <Moment key="lease" at={run.lease_expires_at} />],
              ['Repeats', run.replayed_from && <Link key="from" href={`/executions?id=${run.replayed_from}`}>{run.replayed_from}</Link>],
              ['Id', <Id key="id" text={run.id} />],
            ]}
          />
        </Card>
        <Card title="What came of it">
          {outcome === null ? (
            <p className="soft">Nobody has said so yet.</p>
          ) : (
            <Facts
              facts={[
                ['Outcome', <State key="outcome" state={run.outcome_state ?? (outcome.success ? 'success' : 'failed')} />],
                ['Said', <Moment key="said" at={outcome.recorded_at} />],
                ['Result', outcome.result],
                ['Error', outcome.error],
                ['Evidence', outcome.summary ?? outcome.external_id ?? outcome.result_url ?? outcome.result_ref],
              ]}
            />
          )}
        </Card>
      </div>
      <Journey execution={run.id} owner={owner} />
      {run.message_id === null && (
        <Card title="What it was given">
          <pre className="answer" tabIndex={0}>
            {JSON.stringify(run.payload, null, 2)}
          </pre>
        </Card>
      )}
    </>
  );
}

const WELL = 'it went well';
const BADLY = 'it failed';

function RunActions({ run, owner }: { readonly run: ExecutionAnswer; readonly owner: string }) {
  const [marking, setMarking] = useState(false);
  const again = (): Promise<void> => attempt(() => api.call(executionReplay, { path: [run.id] }, owner), 'Runs again');
  const reported = run.outcome !== null;
  return (
    <>
      <button type="button" className="button" onClick={() => void again()}>
        Run again
      </button>
      <button type="button" className="button quiet" onClick={() => setMarking(true)}>
        Mark
      </button>
      {marking && (
        <Form
          title={reported ? 'Confirm or reject what was reported' : 'Say what came of it'}
          verb="Mark it"
          lead={<p>{reported ? 'What was reported stays; your word stands beside it.' : 'It is said once, and cannot be changed.'}</p>}
          fields={[
            { name: 'how', label: 'How it went', kind: 'choice', choices: [WELL, BADLY] },
            { name: 'why', label: 'In a few words' },
          ]}
          onClose={() => setMarking(false)}
          onDone={async ({ how, why }) => {
            const well = how === WELL;
            if (reported) await api.call(executionVerify, { path: [run.id], body: { valid: well, ...(why && { reason: why }) } }, owner);
            else
              await api.call(
                executionOutcome,
                { path: [run.id], body: { success: well, ...(why && (well ? { result: why } : { error: why })) } },
                owner,
              );
            tell('Marked');
            return undefined;
          }}
        />
      )}
    </>
  );
}
