import { consoleSearch, type ConsoleSearchAnswer } from '@parley/protocol/console/view-routes';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../data.ts';
import { Dialog } from '../pieces/dialog.tsx';
import { contains } from '../pieces/filters.tsx';
import type { Place } from './views.tsx';

interface Entry {
  readonly kind: string;
  readonly title: string;
  readonly hint: string;
  readonly run: () => void;
}

/** What can be done on the page that is shown: the buttons that stand beside its name and those of its cards. */
function actionsHere(): readonly (readonly [string, () => void])[] {
  const buttons = document.querySelectorAll<HTMLButtonElement>('main .view-head .actions button, main .card-head > button');
  return [...buttons].filter(({ disabled }) => !disabled).map((button) => [button.textContent.trim(), () => button.click()]);
}

interface Props {
  readonly places: readonly Place[];
  readonly actions: Readonly<Record<string, () => void>>;
  readonly onClose: () => void;
}

/** Go to any object by name, address or id, or run an action. */
export function Palette({ places, actions, onClose }: Props) {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [here] = useState(actionsHere);
  const asked = text.trim();
  const found = useQuery({
    queryKey: ['search', asked],
    queryFn: ({ signal }) => api.call<ConsoleSearchAnswer>(consoleSearch, { query: { q: asked }, signal }),
    enabled: asked !== '',
  });
  const matches = (title: string): boolean => contains(asked, title);
  const done = (run: () => void) => () => {
    onClose();
    run();
  };
  const entries: Entry[] = [
    ...(asked === '' ? [] : (found.data?.results ?? [])).map(({ view, ...shown }) => ({
      ...shown,
      run: done(() => navigate(view)),
    })),
    ...places
      .filter(({ name }) => matches(name))
      .map(({ name, path }) => ({ kind: 'view', title: name, hint: '', run: done(() => navigate(path)) })),
    ...here.filter(([title]) => matches(title)).map(([title, run]) => ({ kind: 'action', title, hint: 'action here', run: done(run) })),
    ...Object.entries(actions)
      .filter(([title]) => matches(title) && !here.some(([known]) => known === title))
      .map(([title, run]) => ({ kind: 'action', title, hint: '', run: done(run) })),
  ];
  const chosen = Math.min(at, entries.length - 1);
  return (
    <Dialog title="Search or run" onClose={onClose}>
      <input
        type="search"
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette"
        aria-activedescendant={entries.length > 0 ? `palette-${chosen}` : undefined}
        aria-label="A name, an address, an id or an action"
        placeholder="A name, an address, an id or an action"
        value={text}
        spellCheck={false}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, entries.length - 1));
          else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0));
          else if (event.key === 'Enter') entries[chosen]?.run();
          else return;
          event.preventDefault();
        }}
      />
      <ul id="palette" className="palette" role="listbox" aria-label="What was found">
        {entries.map(({ kind, title, hint, run }, index) => (
          <li
            key={`${kind} ${title} ${index}`}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={index === chosen ? 'here' : ''}
            onClick={run}
          >
            <span className="palette-title">{title}</span>
            <span className="soft small">{hint || kind}</span>
          </li>
        ))}
      </ul>
      {entries.length === 0 && <p className="soft">Nothing is called so.</p>}
    </Dialog>
  );
}
