import { useSyncExternalStore } from 'react';

/** What a person chose for this browser. Nothing here is a secret. */
const THEME = 'parley.console.theme';
const DENSITY = 'parley.console.density';
const ZONE = 'parley.console.zone';

export type Theme = 'system' | 'light' | 'dark';

const read = (name: string): string => {
  try {
    return localStorage.getItem(name) ?? '';
  } catch {
    return '';
  }
};

const write = (name: string, value: string): void => {
  try {
    localStorage.setItem(name, value);
  } catch {
    // A browser that keeps nothing shows what it shows by default.
  }
};

export function theme(): Theme {
  const chosen = read(THEME);
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

export function setTheme(chosen: Theme): void {
  write(THEME, chosen);
  applyTheme();
}

export const isDense = (): boolean => read(DENSITY) === 'dense';

export function setDense(dense: boolean): void {
  write(DENSITY, dense ? 'dense' : '');
  applyTheme();
}

/** Undefined: that of the machine. */
export const zone = (): string | undefined => (read(ZONE) === 'UTC' ? 'UTC' : undefined);
export const setZone = (chosen: string): void => write(ZONE, chosen);

export function applyTheme(): void {
  const { dataset } = document.documentElement;
  dataset['theme'] = theme();
  dataset['density'] = isDense() ? 'dense' : 'roomy';
}

function onGround(tell: () => void): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const chosen = new MutationObserver(tell);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  dark.addEventListener('change', tell);
  return () => {
    chosen.disconnect();
    dark.removeEventListener('change', tell);
  };
}

/** The colour that everything stands on, for what has to be painted anew when it changes. */
export const useGround = (): string =>
  useSyncExternalStore(onGround, () =>
    getComputedStyle(document.documentElement).getPropertyValue('--ground'),
  );
