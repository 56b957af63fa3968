import type { Place } from './views.tsx';

/** What can be begun from anywhere: the view it is done in, and the button there. */
const BEGUN: readonly {
  readonly title: string;
  readonly path: string;
  readonly button: string;
  readonly ofServer?: true;
}[] = [
  { title: 'New agent', path: '/agents', button: 'New agent' },
  { title: 'Write a message', path: '/messages', button: 'Write' },
  { title: 'Offer a listing', path: '/rooms', button: 'Offer a listing' },
  { title: 'New cue', path: '/cues', button: 'New cue' },
  { title: 'New reminder', path: '/schedule', button: 'New reminder' },
  { title: 'Back up now', path: '/system', button: 'Back up now', ofServer: true },
  { title: 'Invite', path: '/system', button: 'Invite', ofServer: true },
  { title: 'Log level', path: '/system', button: 'Log level', ofServer: true },
];

const PATIENCE_MS = 5_000;

/** Presses a button of the view once it stands there. */
function pressOnce(name: string): void {
  const press = (): boolean => {
    const found = [...document.querySelectorAll<HTMLButtonElement>('main button')].find(
      ({ textContent }) => textContent.trim() === name,
    );
    found?.click();
    return found !== undefined;
  };
  const watch = new MutationObserver(() => {
    if (press()) watch.disconnect();
  });
  watch.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => watch.disconnect(), PATIENCE_MS);
}

/** By their titles, those that the person may do. */
export const elsewhere = (
  places: readonly Place[],
  mayChange: boolean,
  navigate: (to: string) => void,
): Readonly<Record<string, () => void>> =>
  Object.fromEntries(
    BEGUN.filter(
      ({ path, ofServer }) => (ofServer ?? mayChange) && places.some((place) => place.path === path),
    ).map(({ title, path, button }) => [
      title,
      () => {
        pressOnce(button);
        navigate(path);
      },
    ]),
  );
