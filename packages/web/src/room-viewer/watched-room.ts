import { countOf, fieldsOf, textOf, timeOf } from '../shared/fields.ts';
import { distinctVoices } from '../shared/conversation/voice.ts';
import { phaseOf, readMessage, type RoomAgent, type ShownRoom } from './shown-room.ts';
import { closing, type Entry, passedOn, spoken, timeline } from './timeline.ts';

export interface RoomListener {
  /** New entries, oldest first. */
  added(entries: readonly Entry[]): void;
  /** Anything else about the room is different. */
  changed(): void;
}

const NOTHING_YET: ShownRoom = {
  phase: 'OPEN',
  topic: '',
  agents: [],
  messages: [],
  turnIndex: 0,
  maxTurns: 0,
  nextActor: '',
  createdAt: 0,
  ttlAt: 0,
  closedAt: 0,
  closeReason: '',
  purgeBy: 0,
  purgeGraceMs: 0,
  isKept: false,
  lastEventId: 0,
};

/** The room as this page knows it: read once in the transcript, then kept up to date by the events of the stream. */
export class WatchedRoom {
  now: ShownRoom = NOTHING_YET;
  readonly id: string;
  /** All that is on the page, in the order in which it was heard of. */
  readonly entries: Entry[] = [];
  readonly #listener: RoomListener;
  readonly #shown = new Set<string>();
  #voices: ReadonlyMap<string, string> = new Map();

  constructor(id: string, listener: RoomListener) {
    this.id = id;
    this.#listener = listener;
  }

  /** Whether the transcript was read at least once. */
  get isKnown(): boolean {
    return this.now.createdAt !== 0;
  }

  /** Takes over what the transcript says. */
  show(shown: ShownRoom): void {
    this.now = shown;
    this.#voices = distinctVoices(shown.agents);
    this.#add(timeline(shown, (id) => this.nameOf(id)));
    this.#listener.changed();
  }

  /** Takes one event of the stream. Returns whether only the transcript knows the rest of it. */
  take(event: unknown): boolean {
    const fields = fieldsOf(event);
    const eventId = countOf(fields['event_id']);
    if (eventId <= this.now.lastEventId) return false;
    this.now = { ...this.now, lastEventId: eventId };
    const needsTranscript = this.#understand(fields, eventId);
    this.#listener.changed();
    return needsTranscript;
  }

  kept(purgeBy: number): void {
    this.now = { ...this.now, isKept: true, purgeBy };
    this.#listener.changed();
  }

  purged(): void {
    this.now = { ...this.now, phase: 'PURGED', nextActor: '' };
    this.#listener.changed();
  }

  /** Two agents may have the same name: then the end of their ids tells them apart. */
  nameOf(agentId: string): string {
    const agent = this.now.agents.find(({ id }) => id === agentId);
    if (agent === undefined) return agentId === '' ? 'nobody' : 'an agent';
    const name = agent.name.trim() || 'unnamed agent';
    const isShared = this.now.agents.some(
      (other) => other !== agent && other.name.trim() === agent.name.trim(),
    );
    return isShared ? `${name} (${agentId.slice(-4)})` : name;
  }

  voiceOf(agentId: string): string {
    return this.#voices.get(agentId) ?? '';
  }

  #understand(fields: Record<string, unknown>, eventId: number): boolean {
    const at = timeOf(fields['created_at']);
    switch (fields['type']) {
      case 'message.created': {
        const message = readMessage(fields);
        const isNext = message.turn === this.now.turnIndex;
        if (!isNext) return message.turn > this.now.turnIndex;
        this.now = { ...this.now, turnIndex: message.turn + 1, nextActor: this.#after(message.agentId) };
        this.#add([spoken(message)]);
        return false;
      }
      case 'room.state_changed':
        if (fields['reason'] !== 'turn_skipped') return false;
        this.#add([passedOn(eventId, at, this.nameOf(this.now.nextActor))]);
        this.now = { ...this.now, nextActor: this.#after(this.now.nextActor) };
        return false;
      case 'room.joined':
        return true;
      case 'room.closed': {
        const closeReason = textOf(fields['reason']);
        const phase = phaseOf(fields['room_state']) ?? 'CLOSED';
        this.now = { ...this.now, phase, closedAt: at, closeReason, nextActor: '' };
        this.#add([closing(at, closeReason)]);
        return true;
      }
      case 'room.purged':
        this.purged();
        return false;
      default:
        return false;
    }
  }

  /** Turns rotate in the order in which the server names the agents; it corrects us with every transcript. */
  #after(agentId: string): string {
    const { agents } = this.now;
    const place = agents.findIndex(({ id }) => id === agentId);
    return place === -1 ? '' : (agents[(place + 1) % agents.length]?.id ?? '');
  }

  #add(entries: readonly Entry[]): void {
    const fresh = entries.filter(({ key }) => !this.#shown.has(key));
    for (const { key } of fresh) this.#shown.add(key);
    this.entries.push(...fresh);
    if (fresh.length > 0) this.#listener.added(fresh);
  }
}

export function agentNames(room: WatchedRoom): string[] {
  return room.now.agents.map(({ id }: RoomAgent) => room.nameOf(id));
}
