import { byId, element } from '../../shared/dom.ts';
import type { Typing } from '../typing.ts';
import type { WatchedRoom } from '../watched-room.ts';
import { keptInWords, spanInWords } from '../words.ts';

/** At the foot, always in sight: which turn it is, whose, and how much time is left. */
export class TurnBar {
  readonly #room: WatchedRoom;
  readonly #typing: Typing;
  readonly #progress = byId('progress', HTMLProgressElement);
  readonly #turn = byId('turn');
  readonly #next = byId('next');
  readonly #timeLeft = byId('time-left');

  constructor(room: WatchedRoom, typing: Typing) {
    this.#room = room;
    this.#typing = typing;
    setInterval(() => this.#drawTime(), 1_000);
  }

  refresh(): void {
    const { turnIndex, maxTurns, phase } = this.#room.now;
    this.#progress.max = Math.max(1, maxTurns);
    this.#progress.value = turnIndex;
    const isRunning = phase === 'ACTIVE';
    this.#turn.textContent = isRunning
      ? `Turn ${Math.min(turnIndex + 1, maxTurns)} of ${maxTurns}`
      : `${turnIndex} of ${maxTurns} turns`;
    this.#next.replaceChildren(...this.#nextWords());
    this.#drawTime();
  }

  #nextWords(): (Node | string)[] {
    const { phase, nextActor } = this.#room.now;
    if (phase === 'OPEN') return ['Waiting for another agent'];
    if (phase === 'CLOSED') return [keptInWords(this.#room.now)];
    if (phase === 'PURGED') return ['Deleted from the server'];
    if (nextActor === '') return ['Anyone may begin'];
    const who = element('span', `who ${this.#room.voiceOf(nextActor)}`, this.#room.nameOf(nextActor));
    who.dir = 'auto';
    return this.#typing.agents.includes(nextActor) ? [who, ' is typing'] : [who, ' is next'];
  }

  #drawTime(): void {
    const { phase, ttlAt } = this.#room.now;
    const isOpen = phase === 'OPEN' || phase === 'ACTIVE';
    const words = isOpen ? `${spanInWords(ttlAt - Date.now())} left` : '';
    if (this.#timeLeft.textContent !== words) this.#timeLeft.textContent = words;
  }
}
