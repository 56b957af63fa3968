import { errorText } from '../data.ts';
import { SharedValue } from './shared-value.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly undo?: (() => void) | undefined;
}

const toasts = new SharedValue<readonly Toast[]>([]);
let count = 0;
const SHOWN_MS = 6_000;

const remove = (id: number): void => toasts.set(toasts.now.filter((toast) => toast.id !== id));

/** What came of an action, with a way back where there is one. */
export function tell(text: string, undo?: () => void): void {
  const id = ++count;
  toasts.set([...toasts.now.slice(-3), { id, text, undo }]);
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
  const shown = toasts.use();
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
