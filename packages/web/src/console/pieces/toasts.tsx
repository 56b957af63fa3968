import { useSyncExternalStore } from 'react';
import { errorText } from '../data.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly undo?: (() => void) | undefined;
}

let toasts: readonly Toast[] = [];
let count = 0;
const listeners = new Set<() => void>();
const SHOWN_MS = 6_000;

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const changed of listeners) changed();
}

const remove = (id: number): void => set(toasts.filter((toast) => toast.id !== id));

/** What came of an action, with a way back where there is one. */
export function tell(text: string, undo?: () => void): void {
  const id = ++count;
  set([...toasts.slice(-3), { id, text, undo }]);
  setTimeout(() => remove(id), SHOWN_MS);
}

/** Does it and says what came of it. */
export async function attempt(run: () => Promise<unknown>, told?: string, undo?: () => void): Promise<void> {
  try {
    await run();
    if (told !== undefined) tell(told, undo);
  } catch (error) {
    tell(errorText(error));
  }
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => toasts,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, undo }) => (
        <div key={id} className="toast">
          <span>{text}</span>
          {undo && (
            <button
              type="button"
              className="button quiet"
              onClick={() => {
                undo();
                remove(id);
              }}
            >
              Undo
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
