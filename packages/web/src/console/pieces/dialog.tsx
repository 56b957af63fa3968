import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { errorText } from '../data.ts';

/** A question over the page. The browser keeps the keyboard inside, and Escape closes it. */
export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { title, onClose, children } = props;
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    box.current?.showModal();
  }, []);
  return (
    <dialog ref={box} className="dialog" aria-labelledby={id} onClose={onClose} onKeyDown={(event) => event.stopPropagation()}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly kind?: 'text' | 'lines' | 'choice' | 'time';
  readonly choices?: readonly string[];
  readonly hint?: string;
  readonly required?: boolean;
}

/** A few fields and what is done with them. What comes back is shown in place of the form: a new key is seen once. */
export function Form(props: {
  readonly title: string;
  readonly verb: string;
  readonly fields: readonly Field[];
  readonly lead?: ReactNode;
  readonly danger?: boolean;
  /** What follows from what stands in the fields now. */
  readonly aside?: (values: Readonly<Record<string, string>>) => ReactNode;
  /** Has to be typed first: the name of what will be gone. */
  readonly typed?: string;
  readonly onDone: (values: Readonly<Record<string, string>>) => Promise<ReactNode | undefined>;
  readonly onClose: () => void;
}) {
  const { title, verb, fields, lead, danger, typed, aside, onDone, onClose } = props;
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [result, setResult] = useState<ReactNode>();
  const [proof, setProof] = useState('');
  const [given, setGiven] = useState(() => Object.fromEntries(fields.map(({ name, value = '' }) => [name, value])));
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem('');
    const values = valuesIn(event.currentTarget, fields);
    try {
      const shown = await onDone(values);
      if (shown === undefined) onClose();
      else setResult(shown);
    } catch (error) {
      setProblem(errorText(error));
    } finally {
      setBusy(false);
    }
  };
  if (result !== undefined)
    return (
      <Dialog title={title} onClose={onClose}>
        {result}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            Done
          </button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} onInput={(event) => aside && setGiven(valuesIn(event.currentTarget, fields))}>
        {lead && <div className="dialog-lead">{lead}</div>}
        {fields.map((field, at) => (
          <FieldInput key={field.name} field={field} first={at === 0 && !typed} />
        ))}
        {typed !== undefined && (
          <label className="field">
            <span>
              Type <code>{typed}</code> to go on
            </span>
            <input value={proof} onChange={(event) => setProof(event.target.value)} autoFocus autoComplete="off" spellCheck={false} />
          </label>
        )}
        {aside?.(given)}
        {problem && (
          <p className="form-problem" role="alert">
            {problem}
          </p>
        )}
        <div className="dialog-actions">
          <button type="button" className="button quiet" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            className={danger ? 'button danger' : 'button'}
            disabled={busy || (typed !== undefined && proof !== typed)}
          >
            {verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function valuesIn(form: HTMLFormElement, fields: readonly Field[]): Record<string, string> {
  const given = new FormData(form);
  return Object.fromEntries(fields.map(({ name }) => [name, textIn(given, name)]));
}

/** A field of text; files are none. */
export function textIn(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

function FieldInput({ field, first }: { readonly field: Field; readonly first: boolean }) {
  const { name, label, value = '', kind = 'text', choices = [], hint, required } = field;
  const common = { name, defaultValue: value, autoFocus: first, required: required ?? false };
  return (
    <label className="field">
      <span>{label}</span>
      {kind === 'lines' ? (
        <textarea {...common} rows={5} />
      ) : kind === 'choice' ? (
        <select {...common}>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      ) : (
        <input {...common} type={kind === 'time' ? 'datetime-local' : 'text'} autoComplete="off" spellCheck={false} />
      )}
      {hint && <small className="soft">{hint}</small>}
    </label>
  );
}
