import { useEffect, useState } from 'react';
import { queries } from './data.ts';

export type Line = { readonly state: 'connected' | 'connecting' | 'lost'; readonly asOf: number };

interface Hint {
  readonly kinds: readonly string[];
}

/**
 * One stream for the page. It says which kinds of objects changed; what is on the screen of those kinds is read again. A hidden
 * tab holds no stream; one that comes back reads everything anew, and so does one whose line was lost.
 */
export function useLive(onSignedOut: () => void): Line {
  const [line, setLine] = useState<Line>({ state: 'connecting', asOf: Date.now() });
  useEffect(() => {
    let source: EventSource | undefined;
    const open = (): void => {
      if (source || document.hidden) return;
      source = new EventSource('/v1/console/stream');
      source.addEventListener('changed', (event: MessageEvent<string>) => {
        setLine({ state: 'connected', asOf: Date.now() });
        refresh((JSON.parse(event.data) as Hint).kinds);
      });
      source.addEventListener('error', () => {
        setLine((before) => ({ ...before, state: 'lost' }));
        // The browser tries again by itself, unless it was refused.
        if (source?.readyState !== EventSource.CLOSED) return;
        close();
        void fetch('/v1/console/session').then(
          ({ status }) => (status === 401 ? onSignedOut() : setTimeout(open, 2000)),
          () => setTimeout(open, 2000),
        );
      });
    };
    const close = (): void => {
      source?.close();
      source = undefined;
    };
    const seen = (): void => {
      if (document.hidden) return close();
      open();
      refresh(['all']);
    };
    open();
    document.addEventListener('visibilitychange', seen);
    return () => {
      document.removeEventListener('visibilitychange', seen);
      close();
    };
  }, [onSignedOut]);
  return line;
}

const BURST = 20;
const REFILL_MS = 1_000;

/**
 * A person sees what happened at once; where something happens all the time, once a second is enough, and the server and the page
 * have other things to do. Some readings are in hand, and a second gives one back.
 */
const pace = {
  inHand: BURST,
  filledAt: 0,
  waiting: new Set<string>(),
  timer: undefined as ReturnType<typeof setTimeout> | undefined,
};

function refresh(kinds: readonly string[]): void {
  for (const kind of kinds) pace.waiting.add(kind);
  if (pace.waiting.size === 0 || pace.timer !== undefined) return;
  const now = Date.now();
  const refilled = Math.floor((now - pace.filledAt) / REFILL_MS);
  if (refilled > 0) {
    pace.inHand = Math.min(BURST, pace.inHand + refilled);
    pace.filledAt = now;
  }
  if (pace.inHand > 0) return readAgain();
  pace.timer = setTimeout(() => {
    pace.timer = undefined;
    refresh([]);
  }, REFILL_MS);
}

function readAgain(): void {
  pace.inHand -= 1;
  const kinds = [...pace.waiting];
  pace.waiting.clear();
  const everything = kinds.includes('all');
  void queries.invalidateQueries({
    predicate: ({ meta }) => {
      const shown = meta?.['kinds'];
      return Array.isArray(shown) && (everything || shown.some((kind) => kinds.includes(String(kind))));
    },
  });
}
