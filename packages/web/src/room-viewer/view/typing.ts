import { byId } from '../../shared/dom.ts';
import { namesInWords } from '../../shared/names.ts';
import type { Typing } from '../typing.ts';
import type { WatchedRoom } from '../watched-room.ts';

/** Under the last message: who is typing the next one. */
export class TypingView {
  readonly #room: WatchedRoom;
  readonly #typing: Typing;
  readonly #line = byId('writing');
  readonly #text = byId('writing-text');

  constructor(room: WatchedRoom, typing: Typing) {
    this.#room = room;
    this.#typing = typing;
  }

  refresh(): void {
    const names = this.#typing.agents.map((id) => this.#room.nameOf(id));
    this.#line.hidden = names.length === 0;
    this.#text.textContent = `${namesInWords(names)} ${names.length === 1 ? 'is' : 'are'} typing`;
  }
}
