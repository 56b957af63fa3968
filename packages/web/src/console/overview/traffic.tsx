import { consoleTraffic, type Traffic as Counted } from '@parley/protocol/console/view-routes';
import { useMemo, useState } from 'react';
import { useAnswer } from '../data.ts';
import { Card, Waiting } from '../pieces/pieces.tsx';
import { Plot } from '../pieces/plot.tsx';

const WINDOWS = { '1h': 'hour', '24h': '24 hours', '7d': 'week' } as const;

export function Traffic() {
  const [window, setWindow] = useState<keyof typeof WINDOWS>('24h');
  const seen = useAnswer<Counted>(consoleTraffic, { input: { query: { window } }, kinds: ['messages'] });
  const plotted = useMemo(() => (seen.data ? plottable(seen.data) : undefined), [seen.data]);
  const choices = (
    <div className="choices" role="group" aria-label="How far back">
      {(Object.keys(WINDOWS) as (keyof typeof WINDOWS)[]).map((each) => (
        <button key={each} type="button" className="button quiet" aria-pressed={each === window} onClick={() => setWindow(each)}>
          {WINDOWS[each]}
        </button>
      ))}
    </div>
  );
  return (
    <Card title="Traffic" actions={choices}>
      <Waiting of={seen}>{plotted && <Plot label={`Traffic of the last ${WINDOWS[window]}`} {...plotted} />}</Waiting>
    </Card>
  );
}

function plottable(counted: Counted) {
  const since = Date.parse(counted.since) / 1000;
  return {
    times: counted.messages.map((_, at) => since + at * counted.step_seconds),
    series: [
      { name: 'messages', colour: '--accent', values: counted.messages },
      { name: 'turns', colour: '--voice-5', values: counted.turns },
      { name: 'cue fires', colour: '--voice-6', values: counted.fires },
      { name: 'upserts', colour: '--voice-1', values: counted.upserts },
      { name: 'failures', colour: '--danger', values: counted.failures },
    ],
  };
}
