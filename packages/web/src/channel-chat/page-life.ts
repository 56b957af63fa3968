import { on } from '../shared/dom.ts';
import type { ChatRoom } from './room.ts';

const LONGEST_HIDDEN_MS = 15 * 60_000;

/** Leaves when the page closes or is forgotten; steps aside and comes back with the back/forward cache. */
export function followPageLife(room: ChatRoom): void {
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined;

  on(window, 'pagehide', (event) => (event.persisted ? room.pause() : room.farewell()));
  on(window, 'pageshow', (event) => {
    if (event.persisted) room.resume();
  });
  on(window, 'online', () => room.retryNow());
  on(document, 'visibilitychange', () => {
    clearTimeout(hiddenTimer);
    if (!document.hidden) room.retryNow();
    else if (room.name !== '') hiddenTimer = setTimeout(() => room.leave('away'), LONGEST_HIDDEN_MS);
  });
}
