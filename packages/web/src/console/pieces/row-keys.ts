import { type RefObject, useEffect } from 'react';
import { onKeys } from '../shell/keys.ts';

/** `j` and `k` go along what is marked as a row and can have the focus, for lists that are no table. */
export function useRowKeys(box: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const go = (by: number): void => {
      const rows = [...(box.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
      const here = rows.findIndex((row) => row.contains(document.activeElement));
      rows[Math.min(Math.max(here + by, 0), rows.length - 1)]?.focus();
    };
    return onKeys({ j: () => go(1), k: () => go(-1) });
  }, [box]);
}
