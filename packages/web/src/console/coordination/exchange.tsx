import type { KeptExchange } from '@parley/protocol/console/kept-routes';
import type { Handoff, Reconciliation, SharedState } from '@parley/protocol/coordination/artifacts';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { subjectPath } from '../memory/subject-path.ts';
import { Dialog } from '../pieces/dialog.tsx';
import { AsCurl, Facts, Id, State } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';
import { wordFor } from '../pieces/words.ts';
import { titleOf } from './exchange-words.ts';

/** One of them, whole. */
export function Exchange({ exchange, onClose }: { readonly exchange: KeptExchange; readonly onClose: () => void }) {
  const { id, owner, from, to, at, kind, handoff, shared, reconciliation } = exchange;
  return (
    <Dialog title={titleOf(exchange)} onClose={onClose}>
      <Facts
        facts={[
          ['From', `${from}@${owner}`],
          ['To', to.length === 0 ? null : to.join(', ')],
          ['When', <Moment key="when" at={at} />],
          ['Id', <Id key="id" text={id} />],
        ]}
      />
      {handoff && <HandoffText handoff={handoff} owner={owner} />}
      {shared && <SharedText shared={shared} />}
      {reconciliation && <ReconciliationText reconciliation={reconciliation} />}
      <AsCurl method="GET" path={`/v1/coordination/${kind}/${id}`} />
      <div className="dialog-actions">
        <button type="button" className="button" autoFocus onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function HandoffText({ handoff, owner }: { readonly handoff: Handoff; readonly owner: string }) {
  const { source_selector: source, shared_continuity: lists, note } = handoff;
  return (
    <>
      <p>
        <State state={handoff.recipient_status} />{' '}
        {handoff.consumed_at && (
          <span className="soft">
            by {handoff.consumed_by}, <Moment at={handoff.consumed_at} />
            {handoff.recipient_reason && `: ${handoff.recipient_reason}`}
          </span>
        )}
      </p>
      {note && <p>{note}</p>}
      <p>
        From what is remembered of{' '}
        <Link href={subjectPath(source.subject_kind, source.subject_id, owner)}>
          {source.subject_kind} {source.subject_id}
        </Link>
      </p>
      <Texts title="Constraints" texts={lists.active_constraints} />
      <Texts title="Drift" texts={lists.drift_signals} />
    </>
  );
}

function SharedText({ shared }: { readonly shared: SharedState }) {
  const { constraints, drift_signals: drift, coordination_alerts: alerts } = shared.shared_state;
  return (
    <>
      {shared.summary && <p>{shared.summary}</p>}
      <p className="soft">
        Version {shared.version}, last changed by {shared.last_updated_by}
      </p>
      <Texts title="Alerts" texts={alerts} />
      <Texts title="Constraints" texts={constraints} />
      <Texts title="Drift" texts={drift} />
    </>
  );
}

function ReconciliationText({ reconciliation }: { readonly reconciliation: Reconciliation }) {
  const { status, classification, trigger, claims, summary, resolution_outcome: outcome, resolution_summary: came } = reconciliation;
  return (
    <>
      <p>
        <State state={status} /> <span className="soft">{`${wordFor(classification)}, ${wordFor(trigger)}`}</span>
      </p>
      {summary && <p>{summary}</p>}
      <Texts
        title="Claims"
        texts={claims.map(({ claimant_peer: peer, claim_summary: said, epistemic_status: how }) => `${peer}: ${said} (${wordFor(how)})`)}
      />
      {outcome && (
        <p>
          What came of it: {wordFor(outcome)}
          {came && `, ${came}`}
        </p>
      )}
    </>
  );
}

function Texts({ title, texts }: { readonly title: string; readonly texts: readonly string[] }): ReactNode {
  if (texts.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="bullets">
        {texts.map((text, at) => (
          // Two may say the same.
          <li key={`${at} ${text}`}>{text}</li>
        ))}
      </ul>
    </>
  );
}
