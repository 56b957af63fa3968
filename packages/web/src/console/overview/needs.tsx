import { consoleExecutionRelease } from '@parley/protocol/console/action-routes';
import { consoleBackupMake, consoleDeadJobRetry } from '@parley/protocol/console/system-routes';
import { consoleOverview, type Need } from '@parley/protocol/console/view-routes';
import { alertAcknowledge } from '@parley/protocol/delivery/alert-routes';
import { executionReplay } from '@parley/protocol/delivery/execution-routes';
import { threadResume } from '@parley/protocol/delivery/message-routes';
import { Link } from 'wouter';
import { api, errorText, queries, useMayChange } from '../data.ts';
import { Card } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';
import { tell } from '../pieces/toasts.tsx';
import { wordFor } from '../pieces/words.ts';
import { tryAgain } from '../message/send-again.ts';
import { replayTo } from '../webhooks/replay.ts';

interface Remedy {
  readonly verb: string;
  readonly run: (need: Need) => Promise<unknown>;
  readonly told: string;
  /** Whether it is the server's own: an operator sees to it, whatever it may change of owners. */
  readonly ofServer?: true;
}

async function replay(need: Need): Promise<void> {
  if ((await replayTo(need)) === 0) throw new NothingWaits();
}

/** The next thing that is sent to it shows whether it is back. */
class NothingWaits extends Error {}

/** The one action for each. What has none is opened. */
const REMEDIES: Partial<Record<Need['kind'], Remedy>> = {
  message_failed: {
    verb: 'Try again',
    run: ({ id, owner }) => tryAgain(id, owner ?? undefined),
    told: 'On its way again',
  },
  run_failed: {
    verb: 'Run again',
    run: ({ id, owner }) => api.call(executionReplay, { path: [id] }, owner ?? undefined),
    told: 'Runs again',
  },
  lease_lapsed: {
    verb: 'Give it to another',
    run: ({ id }) => api.call(consoleExecutionRelease, { path: [id] }),
    told: 'It waits for whoever takes it next',
  },
  thread_stopped: {
    verb: 'Let it go on',
    run: ({ id, owner }) => api.call(threadResume, { path: [id] }, owner ?? undefined),
    told: 'The thread goes on',
  },
  alert: {
    verb: 'Seen',
    run: ({ id, owner }) => api.call(alertAcknowledge, { path: [id] }, owner ?? undefined),
    told: 'Marked as seen',
  },
  webhook_failing: { verb: 'Replay', run: replay, told: 'What it did not take is sent again' },
  job_dead: {
    verb: 'Retry',
    run: ({ id }) => api.call(consoleDeadJobRetry, { path: [id] }),
    told: 'It begins anew',
    ofServer: true,
  },
  backup_stale: {
    verb: 'Back up now',
    run: () => api.call(consoleBackupMake),
    told: 'A copy is made, in the folder backups of the data folder',
    ofServer: true,
  },
};

const OVERVIEW = { queryKey: [consoleOverview.name] };

const act = async (need: Need, { run, told }: Remedy): Promise<void> => {
  try {
    await run(need);
    tell(told);
    // Not all that needs somebody stands in a table that tells of its changes.
    await queries.invalidateQueries(OVERVIEW);
  } catch (error) {
    tell(error instanceof NothingWaits ? 'Nothing waits for it. A test in Webhooks shows whether it is back' : errorText(error));
  }
};

export function Needs({ needs }: { readonly needs: readonly Need[] }) {
  const mayChange = useMayChange();
  return (
    <Card title={needs.length === 0 ? 'Needs you' : `Needs you: ${needs.length}`}>
      {needs.length === 0 ? (
        <p className="soft">Nothing. What fails, stops or goes silent will stand here, with what to do about it.</p>
      ) : (
        <ul className="needs">
          {needs.map((need) => {
            const known = REMEDIES[need.kind];
            const remedy = mayChange || known?.ofServer ? known : undefined;
            return (
              <li key={`${need.kind} ${need.id}`}>
                <div>
                  <Link href={need.view}>{need.title}</Link>
                  <div className="soft small">
                    {need.why && <span className="why">{wordFor(need.why)} · </span>}
                    <Moment at={need.at} />
                  </div>
                </div>
                {remedy ? (
                  <button type="button" className="button quiet" onClick={() => void act(need, remedy)}>
                    {remedy.verb}
                  </button>
                ) : (
                  <Link href={need.view} className="button quiet">
                    Open
                  </Link>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </Card>
  );
}
