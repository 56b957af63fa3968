import { consoleExecutions, type ExecutionsAnswer } from '@parley/protocol/console/view-routes';
import { cueRead, cueNext } from '@parley/protocol/delivery/cue-routes';
import type { CueAnswer, CueNext } from '@parley/protocol/delivery/types';
import { useParams } from 'wouter';
import { CueActions } from '../cues/actions.tsx';
import { cronWords } from '../cues/cron-words.ts';
import { useAnswer, useMayChange, useOwnerOf, useReadsTexts } from '../data.ts';
import { ExecutionTable } from '../executions/executions.tsx';
import { usePages } from '../pieces/pages.ts';
import { AsCurl, Card, Facts, Id, Page, State, Waiting } from '../pieces/pieces.tsx';
import { Moment, wallWords } from '../pieces/time.tsx';
import { wordFor } from '../pieces/words.ts';
import { Alerts } from './alerts.tsx';
import { Grid } from './grid.tsx';

/** When it fires next, and what came of each run. */
export function Cue() {
  const { id } = useParams<{ id: string }>();
  const owner = useOwnerOf(id);
  const mayChange = useMayChange();
  const enabled = useReadsTexts() && owner.data !== undefined;
  const asked = { input: { path: [id] }, owner: owner.data, kinds: ['cues'] as const, enabled };
  const read = useAnswer<CueAnswer>(cueRead, asked);
  const coming = useAnswer<CueNext>(cueNext, asked);
  const runs = usePages<ExecutionsAnswer>(consoleExecutions, { cue: id, limit: 200 }, ['executions']);
  const cue = read.data;
  const rows = runs.pages.flatMap(({ executions }) => executions);
  return (
    <Page
      title="Cue"
      of={cue?.name}
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
                  ['When', cue.schedule.cron === undefined ? <Moment key="when" at={cue.schedule.at} /> : <CronLine key="when" cron={cue.schedule.cron} />],
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
                      <span>{wallWords(local)}</span>
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
      {owner.data !== undefined && cue && <Alerts cue={cue} owner={owner.data} />}
      <Card title="Runs">
        {rows.length > 0 && <Grid runs={rows} />}
        <ExecutionTable rows={rows} more={runs.more} empty={<p className="soft">It has not run yet. Each run appears here with what came of it.</p>} />
      </Card>
      <AsCurl method="GET" path={`/v1/cues/${id}`} />
    </Page>
  );
}

/** In words where there are some. */
function CronLine({ cron }: { readonly cron: string }) {
  const words = cronWords(cron);
  return (
    <span>
      {words} <code>{cron}</code>
    </span>
  );
}
