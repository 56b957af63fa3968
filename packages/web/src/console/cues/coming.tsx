import { type ComingAnswer, consoleComing } from '@parley/protocol/console/kept-routes';
import { Link } from 'wouter';
import { useAnswer } from '../data.ts';
import { Card, Waiting } from '../pieces/pieces.tsx';
import { clock, minuteOf, Moment } from '../pieces/time.tsx';

const LISTED = 50;
const HOURS = [0, 6, 12, 18, 24] as const;

/** The next 24 hours as a line with every fire, and the same as a list. */
export function Coming(asked: { readonly owner: string | undefined; readonly agent: string | undefined }) {
  const found = useAnswer<ComingAnswer>(consoleComing, { input: { query: asked }, kinds: ['cues'] });
  const { since = '', until = '', fires = [] } = found.data ?? {};
  const count = fires.length === 1 ? '1 fire' : `${fires.length} fires`;
  const [from, to] = [Date.parse(since), Date.parse(until)];
  const x = (at: number): string => `${((at - from) / (to - from)) * 100}%`;
  return (
    <Card title="The next 24 hours">
      <Waiting of={found}>
        {fires.length === 0 ? (
          <p className="soft">Nothing fires.</p>
        ) : (
          <>
            <svg className="coming" role="img" aria-label={`${count} in the next 24 hours, listed below`}>
              <line x1="0" x2="100%" y1={24} y2={24} />
              {HOURS.map((hour) => {
                const at = from + hour * 3_600_000;
                return (
                  <text key={hour} x={x(at)} y={48} textAnchor="middle">
                    {minuteOf(at)}
                  </text>
                );
              })}
              {fires.map(({ at, cue_id: id, cue }) => (
                <circle key={`${id} ${at}`} cx={x(Date.parse(at))} cy={24} r={6}>
                  <title>{`${cue}, ${clock(at)}`}</title>
                </circle>
              ))}
            </svg>
            <details>
              <summary>{`${count} as a list`}</summary>
              <ul className="plain-list">
                {fires.slice(0, LISTED).map(({ at, cue_id: id, cue }) => (
                  <li key={`${id} ${at}`} className="between">
                    <Link href={`/cues/${id}`}>{cue}</Link>
                    <Moment at={at} />
                  </li>
                ))}
              </ul>
              {fires.length > LISTED && <p className="soft small">and {fires.length - LISTED} more</p>}
            </details>
          </>
        )}
      </Waiting>
    </Card>
  );
}
