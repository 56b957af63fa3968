import { diff } from '@parley/protocol/continuity/routes';
import type { DiffAnswer, FieldChange } from '@parley/protocol/continuity/list-answers';
import { useAnswer } from '../data.ts';
import { Card, Waiting } from '../pieces/pieces.tsx';
import { whole } from '../pieces/time.tsx';
import { wordFor } from '../pieces/words.ts';
import type { OfSubject } from './revisions.ts';

/** Two revisions side by side, field by field. */
export function Compare({ subject, owner, from, to }: OfSubject & { readonly from: number; readonly to: number }) {
  const found = useAnswer<DiffAnswer>(diff, { input: { body: { ...subject, from, to } }, owner, kinds: ['memory'] });
  const changes = found.data?.changes ?? [];
  return (
    <Card title={`Revision ${from} and revision ${to}`}>
      <Waiting of={found}>
        {changes.length === 0 ? (
          <p className="soft">They say the same.</p>
        ) : (
          <div className="diff" role="table" aria-label={`Differences of revision ${from} and ${to}`}>
            <div role="row" className="diff-head">
              <span role="columnheader">What</span>
              <span role="columnheader">Revision {from}</span>
              <span role="columnheader">Revision {to}</span>
            </div>
            {changes.map((change) => (
              <div role="row" key={change.path}>
                <span role="rowheader">{wordFor(change.path.split('.').at(-1) ?? change.path)}</span>
                <Side change={change} side="before" />
                <Side change={change} side="after" />
              </div>
            ))}
          </div>
        )}
      </Waiting>
    </Card>
  );
}

function Side({ change, side }: { readonly change: FieldChange; readonly side: 'before' | 'after' }) {
  const value = change[side];
  const own = new Set((side === 'before' ? change.removed : change.added)?.map(textOf));
  const mark = side === 'before' ? 'gone' : 'came';
  return (
    <div role="cell" data-name={side === 'before' ? 'older' : 'newer'}>
      {Array.isArray(value) ? (
        <ul className="bullets">
          {value.map((item, at) => {
            const text = textOf(item);
            return (
              // Two may say the same.
              <li key={`${at} ${text}`} className={own.has(text) ? mark : undefined}>
                {own.has(text) ? <Marked side={side} text={text} /> : text}
              </li>
            );
          })}
        </ul>
      ) : value === undefined || value === null ? (
        <span className="soft">not there</span>
      ) : (
        <Marked side={side} text={textOf(value)} />
      )}
    </div>
  );
}

/** Told by the element too, not by its colour alone. */
const Marked = ({ side, text }: { readonly side: 'before' | 'after'; readonly text: string }) =>
  side === 'before' ? <del>{text}</del> : <ins>{text}</ins>;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function textOf(value: unknown): string {
  if (typeof value === 'string') return TIME.test(value) ? whole(value) : value;
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .filter(([, each]) => each !== null && each !== '' && !(Array.isArray(each) && each.length === 0))
    .map(([name, each]) => `${wordFor(name)}: ${typeof each === 'string' ? each : JSON.stringify(each)}`)
    .join('; ');
}
