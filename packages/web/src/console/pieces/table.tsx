import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { onKeys } from '../shell/keys.ts';
import { useChanged } from './changed.ts';
import { type Heading, TableHead, useOrdered } from './table-order.tsx';

export interface Column<Row> extends Heading<Row> {
  readonly show: (row: Row) => ReactNode;
  /** Share of the width. */
  readonly wide?: number;
}

export interface TableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Path of the view that opens with a row; undefined where there is none. */
  readonly open?: (row: Row) => string | undefined;
  readonly empty: ReactNode;
  readonly more?: (() => void) | undefined;
  /** What can be done with the rows that are marked. */
  readonly marked?: (rows: readonly Row[]) => ReactNode;
}

const ROW = 48;

/**
 * Rows of objects: sorted by a column that is named in the address, windowed, read as cards where it is narrow. `j` and `k` go
 * along the rows, `Enter` opens one, `x` marks it.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { label, rows, columns, keyOf, open, empty, more, marked } = props;
  const [, navigate] = useLocation();
  const [at, setAt] = useState(-1);
  const [marks, setMarks] = useState<ReadonlySet<string>>(new Set());
  const box = useRef<HTMLDivElement>(null);
  const [sorted, order] = useOrdered(rows, columns);
  const changed = useChanged(rows, keyOf);
  const virtual = useWindowVirtualizer({
    count: sorted.length,
    estimateSize: () => ROW,
    overscan: 5,
    scrollMargin: box.current?.offsetTop ?? 0,
    getItemKey: (index) => {
      const row = sorted[index];
      return row === undefined ? index : keyOf(row);
    },
  });
  const mark = (row: Row | undefined): void => {
    if (row === undefined || !marked) return;
    const key = keyOf(row);
    setMarks((before) => new Set(before.has(key) ? [...before].filter((each) => each !== key) : [...before, key]));
  };
  /** Enter opens the row then, not the link that had the focus. */
  const go = (by: number): void => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    setAt((before) => Math.min(Math.max(before + by, 0), sorted.length - 1));
  };
  useEffect(
    () =>
      onKeys({
        j: () => go(1),
        k: () => go(-1),
        x: () => mark(sorted[at]),
        Enter: () => {
          const row = sorted[at];
          const path = row === undefined ? undefined : open?.(row);
          if (path !== undefined) navigate(path);
        },
      }),
    [sorted, at, open, navigate],
  );
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' });
  }, [at, virtual]);
  if (rows.length === 0) return <>{empty}</>;
  const grid = { gridTemplateColumns: columns.map(({ wide = 1 }) => `minmax(0, ${wide}fr)`).join(' ') };
  const chosen = marks.size === 0 ? [] : sorted.filter((row) => marks.has(keyOf(row)));
  return (
    <>
      <div className="table" role="table" aria-label={label} aria-rowcount={sorted.length}>
        <TableHead columns={columns} order={order} grid={grid} />
        <div role="rowgroup" ref={box} className="table-body" style={{ height: `${virtual.getTotalSize()}px` }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const row = sorted[index];
            if (row === undefined) return null;
            const path = open?.(row);
            return (
              // The keys of the page go along the rows; a click does what Enter does.
              <div
                role="row"
                key={String(key)}
                data-index={index}
                ref={virtual.measureElement}
                aria-rowindex={index + 1}
                className={`table-row${index === at ? ' here' : ''}${marks.has(keyOf(row)) ? ' marked' : ''}${path === undefined ? '' : ' opens'}${changed.has(keyOf(row)) ? ' changed' : ''}`}
                style={{ ...grid, transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
                onClick={(event) => {
                  const own = (event.target as Element).closest('a, button, input, select');
                  if (!own && path !== undefined) navigate(path);
                }}
              >
                {columns.map(({ name, show }) => (
                  <div role="cell" key={name} data-name={name}>
                    <div className="cell">{show(row)}</div>
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
      {chosen.length > 0 && marked && (
        <div className="marked-bar">
          <span>{chosen.length} marked</span>
          {marked(chosen)}
          <button type="button" className="button quiet" onClick={() => setMarks(new Set())}>
            Clear
          </button>
        </div>
      )}
      {more && (
        <div className="table-more">
          <button type="button" className="button quiet" onClick={more}>
            Show more
          </button>
        </div>
      )}
    </>
  );
}
