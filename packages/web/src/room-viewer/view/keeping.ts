import { buttonById, byId, on } from '../../shared/dom.ts';
import { download, fileNameOf } from '../../shared/download.ts';
import { clockInWords } from '../../shared/moment.ts';
import { roomAsJson, roomAsMarkdown } from '../saved-copy.ts';
import type { WatchedRoom } from '../watched-room.ts';
import { refusalInWords } from '../words.ts';

/** What a person can do so that the words are not lost: a copy of their own, or more time on the server. */
export class KeepingView {
  readonly #room: WatchedRoom;
  readonly #keep: () => Promise<void>;
  readonly #row = byId('keeping');
  readonly #keepButton = buttonById('keep');
  readonly #problem = byId('keep-problem');
  #isAsking = false;

  constructor(room: WatchedRoom, keep: () => Promise<void>) {
    this.#room = room;
    this.#keep = keep;
    on(this.#keepButton, 'click', () => void this.#ask());
    for (const place of document.querySelectorAll<HTMLButtonElement>('[data-save]'))
      on(place, 'click', () => this.#save(place.dataset.save ?? ''));
  }

  refresh(): void {
    const { phase, purgeBy, isKept } = this.#room.now;
    this.#row.hidden = phase !== 'CLOSED' && phase !== 'PURGED';
    this.#keepButton.hidden = phase !== 'CLOSED' || isKept || purgeBy === 0;
    this.#keepButton.disabled = this.#isAsking;
    this.#keepButton.textContent = `Keep until ${clockInWords(purgeBy, Date.now())}`;
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    this.#tell('');
    this.refresh();
    await this.#keep().catch((error: unknown) => {
      this.#tell(`It could not be kept. ${refusalInWords(error).text}`);
    });
    this.#isAsking = false;
    this.refresh();
  }

  #save(ending: string): void {
    const { topic, createdAt } = this.#room.now;
    const name = fileNameOf(topic, createdAt, ending);
    if (ending === 'json') download(name, 'application/json', roomAsJson(this.#room));
    else download(name, 'text/markdown', roomAsMarkdown(this.#room));
  }

  #tell(problem: string): void {
    this.#problem.textContent = problem;
    this.#problem.hidden = problem === '';
  }
}
