import { on } from '../dom.ts';
/** The title of the page, with the number of messages that came while nobody was looking. */
export class UnreadTitle {
  #title = '';
  #unread = 0;

  constructor() {
    on(document, 'visibilitychange', () => {
      if (!document.hidden) this.#count(0);
    });
  }

  name(topic: string): void {
    this.#title = `${topic} · Parley`;
    this.#count(this.#unread);
  }

  heard(): void {
    if (document.hidden) this.#count(this.#unread + 1);
  }

  #count(unread: number): void {
    this.#unread = unread;
    document.title = unread === 0 ? this.#title : `(${unread}) ${this.#title}`;
  }
}
