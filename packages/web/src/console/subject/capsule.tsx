import type { StartupAnswer } from '@parley/protocol/continuity/answers';
import type { ReactNode } from 'react';
import { Card } from '../pieces/pieces.tsx';
import { Prose } from '../pieces/prose.tsx';
import { Moment } from '../pieces/time.tsx';
import { wordFor } from '../pieces/words.ts';

type Whole = NonNullable<StartupAnswer['capsule']>;

/** Beyond what a startup shows: there, but for whoever asks. */
const FURTHER = [
  ['drift_signals', 'Drift'],
  ['working_hypotheses', 'Hypotheses'],
  ['long_horizon_commitments', 'Commitments'],
  ['trailing_notes', 'Notes'],
  ['curiosity_queue', 'Wonders about'],
] as const;

/** The capsule as an agent reads it when it starts. */
export function Capsule({ seen, capsule }: { readonly seen: StartupAnswer; readonly capsule: Whole }) {
  const { orientation, context, stable_preferences: preferences } = seen.startup_summary ?? {};
  const further = FURTHER.filter(([name]) => capsule.continuity[name].length > 0);
  return (
    <Card title="As it is read at startup">
      <p className="soft small">
        Written by {capsule.source.producer}, {wordFor(capsule.source.update_reason)}, <Moment at={capsule.updated_at} />
      </p>
      {seen.recovery_warnings.length > 0 && <p className="problem small">{seen.recovery_warnings.map(wordFor).join(', ')}</p>}
      {context?.stance_summary && <Prose text={context.stance_summary} />}
      <List title="Priorities" items={orientation?.top_priorities} />
      <List title="Constraints" items={orientation?.active_constraints} />
      <List title="Open loops" items={orientation?.open_loops} />
      <List title="Concerns" items={context?.active_concerns} />
      <List title="So far" items={context?.session_trajectory} />
      <Entries title="Decided against">
        {orientation?.negative_decisions.map(({ decision, rationale }) => (
          <li key={decision}>
            {decision}
            <div className="soft small">{rationale}</div>
          </li>
        ))}
      </Entries>
      <Entries title="Why">
        {orientation?.rationale_entries.map(({ tag, kind, status, summary, reasoning }) => (
          <li key={tag}>
            {summary || tag}{' '}
            <span className="soft small">
              {wordFor(kind)}, {wordFor(status)}
            </span>
            <div className="soft small">{reasoning}</div>
          </li>
        ))}
      </Entries>
      <Entries title="Stable preferences">
        {preferences?.map(({ tag, content }) => (
          <li key={tag}>
            {content} <span className="soft small">{tag}</span>
          </li>
        ))}
      </Entries>
      {further.length > 0 && (
        <details>
          <summary>More, not read at startup</summary>
          {further.map(([name, title]) => (
            <List key={name} title={title} items={capsule.continuity[name]} />
          ))}
        </details>
      )}
    </Card>
  );
}

function List({ title, items }: { readonly title: string; readonly items: readonly string[] | undefined }) {
  return (
    <Entries title={title}>
      {items?.map((text, at) => (
        // Two may say the same.
        <li key={`${at} ${text}`}>{text}</li>
      ))}
    </Entries>
  );
}

function Entries({ title, children }: { readonly title: string; readonly children: readonly ReactNode[] | undefined }) {
  if (!children || children.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="bullets">{children}</ul>
    </>
  );
}
