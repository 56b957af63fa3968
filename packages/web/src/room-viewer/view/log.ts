import { element } from '../../shared/dom.ts';
import { type LogItem, LogList } from '../../shared/conversation/log-list.ts';
import { lineElement, messageElement } from '../../shared/conversation/message-element.ts';
import type { Entry } from '../timeline.ts';
import type { WatchedRoom } from '../watched-room.ts';

/** The conversation as the person sees it. */
export class LogView {
  readonly #room: WatchedRoom;
  readonly #list = new LogList();

  constructor(room: WatchedRoom) {
    this.#room = room;
  }

  added(entries: readonly Entry[]): void {
    for (const entry of entries) this.#list.add(this.#item(entry));
  }

  toEnd(): void {
    this.#list.toEnd();
  }

  #item(entry: Entry): LogItem {
    const { at } = entry;
    if (entry.kind === 'line')
      return { at, speaker: null, draw: () => lineElement(entry.text, at, entry.tone) };
    const { agentId, turn, text } = entry.message;
    return {
      at,
      speaker: agentId,
      draw: (isFollowing) =>
        messageElement({
          who: this.#room.nameOf(agentId),
          at,
          text,
          look: this.#room.voiceOf(agentId),
          isFollowing,
          notes: [element('span', 'count', `turn ${turn + 1}`)],
        }),
    };
  }
}
