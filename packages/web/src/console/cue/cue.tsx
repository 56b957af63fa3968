import { consoleExecutions, type ExecutionsAnswer } from '@parley/protocol/console/view-routes';
import { cueRead, cueNext } from '@parley/protocol/delivery/cue-routes';
import type { CueAnswer, CueNext } from '@parley/protocol/delivery/types';
import { useParams } from 'wouter';
import { CueActions } from '../cues/cues.tsx';
import { useAnswer, useMayChange, useOwnerOf, useReadsTexts } from '../data.ts';
import { ExecutionTable } from '../executions/executions.tsx';
import { usePages } from '../pieces/pages.ts';
import { AsCurl, Card, Facts, Id, Page, State, Waiting } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';
import { toneOf, wordFor } from '../pieces/words.ts';

/** When it fires next, and what came of each run. */
export function Cue() {
  const { id } = useParams<{ id: string }>();
  const owner = useOwnerOf(id);
  const mayChange = useMayChange();
  const enabled = useReadsTexts() && owner.data !== undefined;
  const asked = { input: { path: [id] }, owner: owner.data, kinds: ['cues'] as const, enabled };
  const read = useAnswer<CueAnswer>(cueRead, asked);
  const coming = useAnswer<CueNext>(cueNext, asked);
  const runs = usePages<ExecutionsAnswer>(consoleExecutions, { cue: id }, ['executions']);
  const cue = read.data;
  const rows = runs.pages.flatMap(({ executions }) => executions);
  return (
    <Page
      title={cue?.name ?? 'Cue'}
      lead={cue?.description}
      actions={mayChange && cue && owner.data !== undefined && <CueActions cue={cue} owner={owner.data} />}
    >
      <Waiting of={owner.error ? owner : read}>
        {cue && (
          <div className="columns">
            <Card title="Schedule">
              <Facts
                facts={[
                  ['State', <State key="state" state={cue.status} />],
                  ['When', <code key="when">{cue.schedule.cron ?? cue.schedule.at}</code>],
                  ['Time zone', cue.schedule.timezone],
                  ['For', cue.agent ?? cue.callback?.url ?? cue.transport],
                  ['Missed times', wordFor(cue.catch_up)],
                  ['Checked by', cue.verification === null ? null : wordFor(cue.verification.mode)],
                  ['Id', <Id key="id" text={cue.id} />],
                ]}
              />
            </Card>
            <Card title="Next times">
              {(coming.data?.runs.length ?? 0) === 0 ? (
                <p className="soft">None: it is paused, or over.</p>
              ) : (
                <ul className="plain-list">
                  {coming.data?.runs.map(({ at, local }) => (
                    <li key={at} className="between">
                      <span>{local}</span>
                      <span className="soft">
                        <Moment at={at} />
                      </span>
                    </li>
                  ))}
                </ul>
              )}
            </Card>
          </div>
        )}
      </Waiting>
      <Card title="Runs">
        <p className="marks" role="img" aria-label={`The last ${rows.length} runs, newest first: ${rows.map(({ status }) => wordFor(status)).join(', ')}`}>
          {rows.slice(0, 60).map((row) => (
            <span key={row.id} className={`mark ${toneOf(row.status)}`} title={`${wordFor(row.status)}, ${row.scheduled_for}`} />
          ))}
        </p>
        <ExecutionTable rows={rows} more={runs.more} />
      </Card>
      <AsCurl method="GET" path={`/v1/cues/${id}`} />
    </Page>
  );
}
