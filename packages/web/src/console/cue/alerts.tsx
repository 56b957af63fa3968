import { alertAcknowledge, alertList } from '@parley/protocol/delivery/alert-routes';
import type { AlertsAnswer, CueAnswer } from '@parley/protocol/delivery/types';
import { api, useAnswer, useMayChange, useReadsTexts } from '../data.ts';
import { Card, Facts, State } from '../pieces/pieces.tsx';
import { inWordsFor, Moment } from '../pieces/time.tsx';
import { attempt } from '../pieces/toasts.tsx';
import { wordFor } from '../pieces/words.ts';

/** How its outcomes are checked, and what was raised because of them. */
export function Alerts({ cue, owner }: { readonly cue: CueAnswer; readonly owner: string }) {
  const mayChange = useMayChange();
  const input = { query: { cue_id: cue.id, acknowledged: false, limit: 20 } };
  const found = useAnswer<AlertsAnswer>(alertList, { input, owner, kinds: ['executions'], enabled: useReadsTexts() });
  const open = found.data?.alerts ?? [];
  const seen = (id: string): Promise<void> => attempt(() => api.call(alertAcknowledge, { path: [id] }, owner), 'Marked as seen');
  return (
    <Card title="Verification and alerts">
      <Facts
        facts={[
          ['Outcomes are', cue.verification === null ? 'not checked' : wordFor(cue.verification.mode)],
          ['Has to be told within', cue.delivery === null ? null : inWordsFor(cue.delivery.outcome_deadline_seconds)],
          ['Alert after', cue.alerts === null ? null : `${cue.alerts.consecutive_failures} failures in a row`],
        ]}
      />
      {open.length === 0 ? (
        <p className="soft">No alert is open.</p>
      ) : (
        <ul className="needs">
          {open.map(({ id, alert_type: type, severity, message, created_at: at }) => (
            <li key={id}>
              <div>
                <State state={severity} tone="bad" /> {wordFor(type)}
                <div className="soft small">
                  {message} · <Moment at={at} />
                </div>
              </div>
              {mayChange && (
                <button type="button" className="button quiet" onClick={() => void seen(id)}>
                  Seen
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
