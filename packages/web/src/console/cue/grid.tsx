import type { ListedExecutionAnswer } from '@parley/protocol/console/view-routes';
import { Link } from 'wouter';
import { clock, shortDay } from '../pieces/time.tsx';
import { type Tone, toneOf, wordFor } from '../pieces/words.ts';
import { zone } from '../theme.ts';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const MOST_DAYS = 14;
const GRAVITY: readonly Tone[] = ['bad', 'warn', 'plain', 'good'];

/** Every run by day and hour, coloured by what came of it; the gravest of an hour shows. Each opens its path. */
export function Grid({ runs }: { readonly runs: readonly ListedExecutionAnswer[] }) {
  const days = new Map<string, Map<number, ListedExecutionAnswer[]>>();
  for (const run of runs) {
    const day = shortDay(run.scheduled_for);
    const hour = hourOf(run.scheduled_for);
    const hours = days.get(day) ?? new Map<number, ListedExecutionAnswer[]>();
    hours.set(hour, [...(hours.get(hour) ?? []), run]);
    days.set(day, hours);
  }
  return (
    <div className="grid-scroll" tabIndex={0} role="region" aria-label="Runs by day and hour">
      <table className="run-grid">
        <thead>
          <tr>
            <th scope="col">Day</th>
            {HOURS.map((hour) => (
              <th key={hour} scope="col">
                {hour}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...days].slice(0, MOST_DAYS).map(([day, hours]) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              {HOURS.map((hour) => (
                <td key={hour}>
                  <Cell runs={hours.get(hour) ?? []} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ runs }: { readonly runs: readonly ListedExecutionAnswer[] }) {
  const [gravest] = runs.toSorted((a, b) => GRAVITY.indexOf(toneOf(a.status)) - GRAVITY.indexOf(toneOf(b.status)));
  if (!gravest) return null;
  const words = `${clock(gravest.scheduled_for)} ${wordFor(gravest.outcome_state ?? gravest.status)}${runs.length > 1 ? `, one of ${runs.length}` : ''}`;
  return <Link href={`/executions?id=${gravest.id}`} className={`mark ${toneOf(gravest.status)}`} title={words} aria-label={words} />;
}

const hourOf = (at: string): number =>
  Number(new Date(at).toLocaleString('en-GB', { hour: '2-digit', hour12: false, timeZone: zone() })) % 24;
