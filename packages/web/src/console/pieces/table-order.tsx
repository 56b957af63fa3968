import { type CSSProperties, useMemo } from 'react';
import { useSearchParams } from 'wouter';

/** A column, as far as rows are put in order by it. */
export interface Heading<Row> {
  readonly name: string;
  /** What rows are sorted by; absent where that makes no sense. */
  readonly sort?: (row: Row) => string | number;
}

interface Order {
  readonly by: string;
  readonly isDown: boolean;
  readonly sortBy: (name: string) => void;
}

/** The rows in the order that the address names. */
export function useOrdered<Row>(rows: readonly Row[], columns: readonly Heading<Row>[]): [readonly Row[], Order] {
  const [search, setSearch] = useSearchParams();
  const [by = '', direction = 'up'] = (search.get('sort') ?? '').split('.');
  const isDown = direction === 'down';
  const sorted = useMemo(() => {
    const sort = columns.find(({ name }) => name === by)?.sort;
    if (!sort) return rows;
    const turned = isDown ? -1 : 1;
    return rows.toSorted((a, b) => (sort(a) < sort(b) ? -turned : sort(a) > sort(b) ? turned : 0));
  }, [rows, columns, by, isDown]);
  const sortBy = (name: string): void =>
    setSearch(
      (before) => {
        before.set('sort', by === name && !isDown ? `${name}.down` : `${name}.up`);
        return before;
      },
      { replace: true },
    );
  return [sorted, { by, isDown, sortBy }];
}

/** A press on the name of a column sorts by it, another one the other way round. */
export function TableHead<Row>(props: { readonly columns: readonly Heading<Row>[]; readonly order: Order; readonly grid: CSSProperties }) {
  const { by, isDown, sortBy } = props.order;
  return (
    <div role="rowgroup" className="table-head">
      <div role="row" style={props.grid}>
        {props.columns.map(({ name, sort }) => (
          <div role="columnheader" key={name} aria-sort={by === name ? (isDown ? 'descending' : 'ascending') : 'none'}>
            {sort ? (
              <button type="button" className="link" onClick={() => sortBy(name)}>
                {name}
                {by === name && (isDown ? ' ↓' : ' ↑')}
              </button>
            ) : (
              name
            )}
          </div>
        ))}
      </div>
    </div>
  );
}
