import { useMemo } from 'react';
import { Plot } from '../pieces/plot.tsx';

interface Props {
  readonly title: string;
  readonly now: string;
  readonly more: string;
  readonly since: string;
  readonly step: number;
  readonly values: readonly (number | null)[];
  /** What the values are divided by, and what they are then called. */
  readonly unit: number;
  readonly unitName: string;
  readonly grave?: boolean;
}

/** A figure, and how it was over the last hour. */
export function Gauge({ title, now, more, since, step, values, unit, unitName, grave = false }: Props) {
  const shape = values.join(',');
  const { times, series } = useMemo(() => {
    const begun = Date.parse(since) / 1000;
    const known = values.map((value) => Math.round(((value ?? 0) / unit) * 10) / 10);
    return {
      times: values.map((_value, at) => begun + at * step),
      series: [{ name: unitName, colour: grave ? '--danger' : '--accent', values: known }],
    };
  }, [since, step, shape, unit, unitName, grave]);
  const all = series[0]?.values ?? [];
  return (
    <section className={`card gauge${grave ? ' grave' : ''}`}>
      <h2>{title}</h2>
      <p className="gauge-now">{now}</p>
      <p className="soft small">{more}</p>
      {values.length > 1 ? (
        <Plot
          label={`${title} over the last hour`}
          said={`from ${Math.min(...all)} to ${Math.max(...all)} ${unitName}`}
          times={times}
          series={series}
          height={110}
        />
      ) : (
        <p className="soft small">The plot begins after the first minute.</p>
      )}
    </section>
  );
}
