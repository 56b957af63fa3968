import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useSearchParams } from 'wouter';
import { consoleOwners, type OwnersAnswer } from '@parley/protocol/console/view-routes';
import { useAnswer, useMayChange, useSession } from '../data.ts';
import { wordFor } from './words.ts';

/** The value of a filter in the address, so that a link shows the same. */
export function useFilter(name: string): [string, (value: string) => void] {
  const [search, setSearch] = useSearchParams();
  const set = (value: string): void =>
    setSearch(
      (before) => {
        if (value === '') before.delete(name);
        else before.set(name, value);
        return before;
      },
      { replace: true },
    );
  return [search.get(name) ?? '', set];
}

/** Whether one of the texts has in it what was asked for. */
export const contains = (asked: string, ...texts: readonly string[]): boolean =>
  texts.some((text) => text.toLowerCase().includes(asked.toLowerCase()));

/** Escape leaves a filter, and the keys go along the rows again. */
const leave = (event: KeyboardEvent<HTMLElement>): void => {
  if (event.key !== 'Escape') return;
  // A browser would empty a field for a search.
  event.preventDefault();
  event.currentTarget.blur();
};

export function Choice(props: {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly string[];
  readonly usual?: string;
  readonly word?: (choice: string) => string;
}) {
  const [value, set] = useFilter(props.name);
  const word = props.word ?? wordFor;
  return (
    <label className="filter">
      <span>{props.label}</span>
      <select value={value} onKeyDown={leave} onChange={(event) => set(event.target.value)}>
        <option value="">{props.usual ?? 'all'}</option>
        {props.choices.map((choice) => (
          <option key={choice} value={choice}>
            {word(choice)}
          </option>
        ))}
      </select>
    </label>
  );
}

export function TextFilter(props: { readonly name: string; readonly label: string; readonly placeholder?: string }) {
  const [value, set] = useFilter(props.name);
  return (
    <label className="filter">
      <span>{props.label}</span>
      <input type="search" value={value} placeholder={props.placeholder} spellCheck={false} onKeyDown={leave} onChange={(event) => set(event.target.value)} />
    </label>
  );
}

/** Operators see many owners; owners see themselves. */
export function OwnerFilter({ all = true }: { readonly all?: boolean }) {
  const { role } = useSession();
  const owners = useAnswer<OwnersAnswer>(consoleOwners, { kinds: ['agents'], enabled: role === 'operator' });
  const [value, set] = useFilter('owner');
  if (role === 'owner') return null;
  if (owners.data?.more) return <OwnerSearch value={value} set={set} usual={all ? 'all' : owners.data.owners[0]?.slug} />;
  return (
    <label className="filter">
      <span>Owner</span>
      <select value={value || (all ? '' : owners.data?.owners[0]?.slug)} onKeyDown={leave} onChange={(event) => set(event.target.value)}>
        {all && <option value="">all</option>}
        {owners.data?.owners.map(({ slug }) => (
          <option key={slug} value={slug}>
            {slug}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Of more owners than a list can hold one is found by the beginning of its name. */
function OwnerSearch(props: { readonly value: string; readonly set: (value: string) => void; readonly usual: string | undefined }) {
  const { value, set, usual } = props;
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const id = useId();
  const asked = { input: { query: { q: typed.trim() } }, kinds: ['agents'] as const, enabled: typed.trim() !== '' };
  const found = useAnswer<OwnersAnswer>(consoleOwners, asked).data?.owners ?? [];
  const change = (text: string): void => {
    setTyped(text);
    // One was taken from the list, or none is asked for any more.
    if (text === '' || found.some(({ slug }) => slug === text)) set(text);
  };
  return (
    <label className="filter">
      <span>Owner</span>
      <input
        type="search"
        list={id}
        value={typed}
        placeholder={usual}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => change(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') set(typed.trim().toLowerCase());
          leave(event);
        }}
      />
      <datalist id={id}>
        {found.map(({ slug }) => (
          <option key={slug} value={slug} />
        ))}
      </datalist>
    </label>
  );
}

/** For whom a view of one owner asks: the person's own, the one that was chosen, or the first there is. */
export function useChosenOwner(): string | undefined {
  const { role, owner } = useSession();
  const owners = useAnswer<OwnersAnswer>(consoleOwners, { kinds: ['agents'], enabled: role === 'operator' });
  const [chosen] = useFilter('owner');
  if (role === 'owner') return owner?.slug;
  return chosen === '' ? owners.data?.owners[0]?.slug : chosen;
}

/** Whether there is somebody for whom this person may make something. */
export function useMayMake(): boolean {
  const owner = useChosenOwner();
  return useMayChange() && owner !== undefined;
}

/** Whether it is known which owners there are. */
export function useKnowsOwners(): boolean {
  const { role } = useSession();
  const owners = useAnswer<OwnersAnswer>(consoleOwners, { kinds: ['agents'], enabled: role === 'operator' });
  return role === 'owner' || owners.data !== undefined;
}
