import { Dialog } from '../pieces/dialog.tsx';
import type { Place } from './views.tsx';

const KEYS: readonly (readonly [string, string])[] = [
  ['Ctrl K or /', 'search, go anywhere, run any action'],
  ['j and k', 'the next and the previous row'],
  ['Enter', 'open the row'],
  ['x', 'mark the row'],
  ['Escape', 'close what is open, leave a filter'],
  ['?', 'these keys'],
];

export function Shortcuts({ places, onClose }: { readonly places: readonly Place[]; readonly onClose: () => void }) {
  const goes = places.flatMap(({ key, name }) => (key === undefined ? [] : [[`g ${key}`, name] as const]));
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys">
        {[...KEYS, ...goes].map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div className="dialog-actions">
        <button type="button" className="button" autoFocus onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
