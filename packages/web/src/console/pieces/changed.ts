import { useEffect, useRef, useState } from 'react';

const SHOWN_MS = 1_000;
const NONE: ReadonlySet<string> = new Set();

/** Keys of rows that say something else than before, for a second. Rows that stayed the same are the same objects. */
export function useChanged<Row>(rows: readonly Row[], keyOf: (row: Row) => string): ReadonlySet<string> {
  const before = useRef<ReadonlyMap<string, Row>>(new Map());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [changed, setChanged] = useState(NONE);
  useEffect(() => {
    const known = before.current;
    const now = new Map(rows.map((row) => [keyOf(row), row]));
    before.current = now;
    const keys = [...now]
      .filter(([key, row]) => known.has(key) && known.get(key) !== row)
      .map(([key]) => key);
    if (keys.length === 0) return;
    setChanged(new Set(keys));
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setChanged(NONE), SHOWN_MS);
  }, [rows]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return changed;
}
