import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useGround, zone } from '../theme.ts';
import { dateOf, minuteOf } from './time.tsx';

export interface Series {
  readonly name: string;
  /** The token of its colour. */
  readonly colour: string;
  readonly values: readonly number[];
}

interface Props {
  readonly label: string;
  /** Unix seconds of each value. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly height?: number;
  /** What it shows in words, where a sum of its values says nothing. */
  readonly said?: string;
}

const DAY = 86_400;
/** Steps of its times, in seconds. */
const STEPS = [60, 300, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, DAY, 2 * DAY];

/** A plot of counts over time. What it shows is said in words beside it: a picture alone tells a screen reader nothing. */
export function Plot({ label, times, series, height = 180, said }: Props) {
  const box = useRef<HTMLDivElement>(null);
  // It is painted, not styled: with another theme it is painted anew.
  const ground = useGround();
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const colour = (token: string): string => getComputedStyle(element).getPropertyValue(token).trim();
    const axis = { stroke: colour('--ink-soft'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height,
        tzDate: (at) => (zone() === 'UTC' ? uPlot.tzDate(new Date(at * 1000), 'UTC') : new Date(at * 1000)),
        cursor: { y: false },
        legend: { live: false },
        scales: { y: { range: (_plot, _least, most) => [0, Math.max(4, most * 1.1)] } },
        axes: [
          {
            ...axis,
            space: 56,
            incrs: STEPS,
            values: (_plot, at, _axis, _space, step) => at.map((each) => (step < DAY ? minuteOf(each * 1000) : dateOf(each * 1000))),
          },
          { ...axis, size: 44, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000] },
        ],
        series: [
          {},
          ...series.map((each) => ({ label: each.name, stroke: colour(each.colour), width: 2, points: { show: false } })),
        ],
      },
      [[...times], ...series.map(({ values }) => [...values])],
      element,
    );
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [times, series, height, ground]);
  const words = said ?? series.map(({ name, values }) => `${name} ${values.reduce((sum, n) => sum + n, 0)}`).join(', ');
  return (
    <figure className="plot">
      <div ref={box} role="img" aria-label={`${label}: ${words}`} />
    </figure>
  );
}
