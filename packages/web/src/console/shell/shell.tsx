import { Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { Link, Route, Router, Switch, useLocation } from 'wouter';
import { api, useMayChange, useSession } from '../data.ts';
import { type Line, useLive } from '../live.ts';
import { Empty, Page } from '../pieces/pieces.tsx';
import { clock } from '../pieces/time.tsx';
import { Toasts } from '../pieces/toasts.tsx';
import { setTheme, type Theme, theme } from '../theme.ts';
import { elsewhere } from './elsewhere.ts';
import { onKeys } from './keys.ts';
import { Palette } from './palette.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { OBJECTS, type Place, PLACES } from './views.tsx';

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };

export function Shell({ onSignedOut }: { readonly onSignedOut: () => void }) {
  return (
    <Router base="/console">
      <Frame onSignedOut={onSignedOut} />
    </Router>
  );
}

function Frame({ onSignedOut }: { readonly onSignedOut: () => void }) {
  const { role } = useSession();
  const mayChange = useMayChange();
  const [path, navigate] = useLocation();
  const [open, setOpen] = useState<'palette' | 'keys' | 'menu' | undefined>();
  const [chosen, setChosen] = useState(theme());
  const line = useLive(onSignedOut);
  const close = useCallback(() => setOpen(undefined), []);
  // The same list as long as the person is: keys that were begun are lost when it changes.
  const places = useMemo(() => PLACES.filter(({ operatorOnly }) => !operatorOnly || role === 'operator'), [role]);
  const signOut = async (): Promise<void> => {
    await api.signOut().catch(() => undefined);
    onSignedOut();
  };
  const turnTheme = (): void => {
    setTheme(NEXT[chosen]);
    setChosen(NEXT[chosen]);
  };
  useEffect(() => goKeys(places, navigate), [navigate, places]);
  useEffect(
    () =>
      onKeys({
        'mod k': () => setOpen('palette'),
        '/': () => setOpen('palette'),
        '?': () => setOpen('keys'),
      }),
    [],
  );
  useEffect(() => {
    setOpen(undefined);
    window.scrollTo(0, 0);
  }, [path]);
  return (
    <div className="console">
      <a className="skip" href="#view">
        Skip to the content
      </a>
      <header className="top">
        <Link href="/" className="wordmark">
          Parley
        </Link>
        <button type="button" className="search-button" onClick={() => setOpen('palette')}>
          <span>Search or run</span> <kbd>Ctrl K</kbd>
        </button>
        <Pill line={line} />
        <button type="button" className="icon" onClick={turnTheme} title={`Theme: ${chosen}`} aria-label={`Theme: ${chosen}. Change it`}>
          {chosen === 'dark' ? '◐' : chosen === 'light' ? '○' : '◑'}
        </button>
      </header>
      <nav className={`nav${open === 'menu' ? ' open' : ''}`} aria-label="Views">
        <ul>
          {places.map((place) => (
            <li key={place.path}>
              <Link
                href={place.path}
                className={(active) => (isHere(place, path) || active ? 'here' : '')}
                aria-current={isHere(place, path) ? 'page' : undefined}
              >
                {place.name}
              </Link>
            </li>
          ))}
          <li>
            <button type="button" className="link" onClick={() => void signOut()}>
              Sign out
            </button>
          </li>
        </ul>
        <button type="button" className="nav-more" aria-expanded={open === 'menu'} onClick={() => setOpen(open === 'menu' ? undefined : 'menu')}>
          {open === 'menu' ? 'Close' : 'All views'}
        </button>
      </nav>
      <main id="view" className="view" tabIndex={-1}>
        <Suspense fallback={<p className="soft loading">Loading…</p>}>
          <Switch>
            {[...OBJECTS, ...places].map(({ path: at, view: View }) => (
              <Route key={at} path={at}>
                <View />
              </Route>
            ))}
            <Route>
              <Page title="Nothing here">
                <Empty title="There is no view at this address.">
                  <Link href="/">Go to the overview</Link>
                </Empty>
              </Page>
            </Route>
          </Switch>
        </Suspense>
      </main>
      {open === 'palette' && <Palette places={places} onClose={close} actions={{ ...elsewhere(places, mayChange, navigate), 'Change the theme': turnTheme, 'Sign out': () => void signOut() }} />}
      {open === 'keys' && <Shortcuts places={places} onClose={close} />}
      <Toasts />
    </div>
  );
}

const isHere = ({ path }: Place, at: string): boolean => (path === '/' ? at === '/' : at === path || at.startsWith(`${path}/`));

/** `g` and then a letter goes to a view. */
function goKeys(places: readonly Place[], navigate: (to: string) => void): () => void {
  let leave: (() => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listen = onKeys({
    g: () => {
      leave?.();
      const keys = Object.fromEntries(
        places.flatMap(({ key, path }) => (key === undefined ? [] : [[key, () => go(path)]])),
      );
      leave = onKeys(keys);
      // The time of a g before this one does not end this one.
      clearTimeout(timer);
      timer = setTimeout(() => leave?.(), 1500);
    },
  });
  const go = (path: string): void => {
    leave?.();
    leave = undefined;
    navigate(path);
  };
  return () => {
    clearTimeout(timer);
    leave?.();
    listen();
  };
}

function Pill({ line }: { readonly line: Line }) {
  const words = { connected: 'live', connecting: 'connecting', lost: `reconnecting, as of ${clock(line.asOf)}` }[line.state];
  return (
    <span className={`pill ${line.state}`} role="status" title={`As of ${clock(line.asOf)}`}>
      <span className="dot" aria-hidden="true" />
      {words}
    </span>
  );
}
