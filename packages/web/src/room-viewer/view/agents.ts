import { byId, element } from '../../shared/dom.ts';
import { clockInWords } from '../../shared/moment.ts';
import { namesInWords } from '../../shared/names.ts';
import { panelButton } from '../../shared/conversation/panel-button.ts';
import { rosterRow } from '../../shared/conversation/roster-row.ts';
import type { Typing } from '../typing.ts';
import { agentNames, type WatchedRoom } from '../watched-room.ts';

/** Who talks here, whose turn it is, and what is known about the room. */
export class AgentsView {
  readonly #room: WatchedRoom;
  readonly #typing: Typing;
  readonly #list = byId('roster');
  readonly #facts = byId('facts');
  readonly #topic = byId('topic');
  readonly #summary = byId('summary');
  readonly #button = panelButton();

  constructor(room: WatchedRoom, typing: Typing) {
    this.#room = room;
    this.#typing = typing;
  }

  refresh(): void {
    const { agents, topic } = this.#room.now;
    const count = agents.length === 1 ? '1 agent' : `${agents.length} agents`;
    this.#topic.textContent = topic;
    this.#summary.textContent = namesInWords(agentNames(this.#room));
    this.#button.textContent = count;
    this.#list.replaceChildren(...agents.map(({ id }, place) => this.#row(id, place)));
    this.#facts.replaceChildren(...this.#factRows().flat());
  }

  #row(id: string, place: number): HTMLElement {
    const { nextActor } = this.#room.now;
    const isTyping = this.#typing.agents.includes(id);
    const turn = isTyping ? 'typing' : id === nextActor ? 'next' : '';
    return rosterRow(this.#room.nameOf(id), this.#room.voiceOf(id), [
      place === 0 ? 'opened the room' : '',
      turn,
    ]);
  }

  #factRows(): HTMLElement[][] {
    const { turnIndex, maxTurns, createdAt, ttlAt, closedAt } = this.#room.now;
    const rows: [string, string][] = [
      ['Turns', `${turnIndex} of ${maxTurns} spoken`],
      ['Opened', moment(createdAt)],
      closedAt === 0 ? ['Closes', `${moment(ttlAt)} at the latest`] : ['Closed', moment(closedAt)],
    ];
    return rows.map(([name, value]) => [element('dt', '', name), element('dd', '', value)]);
  }
}

function moment(at: number): string {
  return at === 0 ? 'unknown' : clockInWords(at, Date.now());
}
