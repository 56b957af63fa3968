import type { Need } from '@parley/protocol/console/view-routes';
import { alertAcknowledge } from '@parley/protocol/delivery/alert-routes';
import { executionReplay } from '@parley/protocol/delivery/execution-routes';
import { threadResume } from '@parley/protocol/delivery/message-routes';
import { Link } from 'wouter';
import { api, errorText, useMayChange } from '../data.ts';
import { Card } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';
import { tell } from '../pieces/toasts.tsx';
import { wordFor } from '../pieces/words.ts';
import { tryAgain } from '../message/send-again.ts';

interface Remedy {
  readonly verb: string;
  readonly run: (need: Need) => Promise<unknown>;
  readonly told: string;
}

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
};

const act = async (need: Need, { run, told }: Remedy): Promise<void> => {
  try {
    await run(need);
    tell(told);
  } catch (error) {
    tell(errorText(error));
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
            const remedy = mayChange ? REMEDIES[need.kind] : undefined;
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
