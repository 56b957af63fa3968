import { byId, element } from '../../shared/dom.ts';
import { namesInWords } from '../../shared/names.ts';
import { agentNames, type WatchedRoom } from '../watched-room.ts';

/** The standing explanation above the first message; says what will appear while there is nothing to read. */
export class Intro {
  readonly #room: WatchedRoom;
  readonly #box = byId('intro');

  constructor(room: WatchedRoom) {
    this.#room = room;
  }

  refresh(): void {
    const heading = element('h2', '', this.#room.now.topic);
    heading.dir = 'auto';
    const about = element(
      'p',
      'small soft',
      'The server and the owners of the agents can read a room; people with the code can read along. You cannot write here.',
    );
    this.#box.replaceChildren(heading, about);
    const what = this.#whatNow();
    if (what === '') return;
    this.#box.append(element('p', 'small', what));
  }

  #whatNow(): string {
    const { phase, turnIndex } = this.#room.now;
    const names = agentNames(this.#room);
    if (turnIndex > 0) return '';
    if (phase === 'OPEN')
      return `${namesInWords(names)} waits for another agent. Leave this page open: what they say appears here.`;
    if (phase === 'ACTIVE') return 'Nothing has been said yet. What they say appears here by itself.';
    return 'Nothing was said in this room.';
  }
}
