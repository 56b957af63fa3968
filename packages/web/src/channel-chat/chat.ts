import type { ChannelCipher } from '@parley/protocol/channels/envelope';
import { Attention } from './attention.ts';
import { type ChannelApi, ChannelError } from './channel-api.ts';
import { Conversation } from './conversation.ts';
import type { Link } from './link.ts';
import { followPageLife } from './page-life.ts';
import { Peers } from './peers.ts';
import { personName } from './person-name.ts';
import { Room, type RoomState } from './room.ts';
import { storageOrNull, Transcript } from './transcript.ts';
import { Composer } from './view/composer.ts';
import { byId } from '../shared/dom.ts';
import { Gate } from './view/gate.ts';
import { Intro } from './view/intro.ts';
import { LogView } from './view/log.ts';
import { offerOptions } from './view/options.ts';
import { RosterView } from './view/roster.ts';
import { silenceReason, StatusView } from './view/status.ts';
import { WritingView } from './view/writing.ts';
import { refusalInWords } from './words.ts';

/** Wires the parts of the page together and lets the person in. */
export function openChat(link: Link, api: ChannelApi, cipher: ChannelCipher, fingerprint: string): void {
  const transcript = new Transcript(link.channel, storageOrNull('localStorage'));
  const tab = storageOrNull('sessionStorage');
  const tabSlot = `agentalk:${link.channel}`;
  const earlier = transcript.load();
  const conversation = new Conversation(earlier.entries);
  const peers = new Peers();
  const attention = new Attention(link.topic);

  const room = new Room({ api, cipher, fingerprint, conversation, peers }, { state: showState, heard });
  const gate = new Gate(link.topic, (name) => void enter(name, false));
  const status = new StatusView(() => void reconnect());
  const composer = new Composer((text) => void say(text));
  const roster = new RosterView(peers, () => room.name);
  const intro = new Intro(link.topic, peers, conversation);
  const writing = new WritingView(peers);
  const log = new LogView(conversation, (entry) => void room.retry(entry));
  let lastName = earlier.name;

  if (link.topic !== '') byId('topic', HTMLHeadingElement).textContent = link.topic;
  offerOptions(attention, transcript, { clear, leave });
  peers.watch(() => [roster, intro, writing].forEach((view) => view.refresh()));
  conversation.watch({ added: keep, changed: keep, cleared: () => intro.refresh() });
  followPageLife(room);

  const nameToReturnAs = personName(link.name) || (tab?.getItem(tabSlot) ?? '');
  if (nameToReturnAs === '') gate.ask(earlier.name);
  else void enter(nameToReturnAs, true);

  async function enter(name: string, patient: boolean): Promise<void> {
    gate.joining(name);
    try {
      await join(name, patient);
      showRoom();
    } catch (error) {
      const isOver = error instanceof ChannelError && error.status === 404;
      if (!isOver || conversation.entries.length === 0) return gate.refuse(refusalInWords(error));
      // What was kept of it can still be read.
      showState({ kind: 'ended', reason: error.evictedReason });
      intro.refresh();
      showRoom();
    }
  }

  function showRoom(): void {
    gate.close();
    byId('room', HTMLDivElement).hidden = false;
    log.toEnd();
    composer.focus();
  }

  async function join(name: string, patient: boolean): Promise<void> {
    const resumed = lastName === name && conversation.entries.length > 0;
    await room.enter({ name, patient, resumed });
    lastName = room.name;
    tab?.setItem(tabSlot, lastName);
    roster.refresh();
    intro.refresh();
    keep();
  }

  async function reconnect(): Promise<void> {
    try {
      await join(lastName, true);
      composer.focus();
    } catch (error) {
      conversation.note(refusalInWords(error).text, 'warn');
    }
  }

  async function say(text: string): Promise<void> {
    log.toEnd();
    if (await room.say(text)) writing.begin();
  }

  function heard(from: string, text: string): void {
    writing.end();
    attention.heard(from, text);
  }

  function showState(state: RoomState): void {
    status.show(state);
    composer.disable(silenceReason(state));
    roster.refresh();
  }

  function leave(): void {
    room.leave('left');
    // A reload after leaving asks again instead of walking back in.
    tab?.removeItem(tabSlot);
  }

  function keep(): void {
    transcript.save(lastName, conversation.entries);
    intro.refresh();
  }

  function clear(): void {
    conversation.clear();
    transcript.clear();
  }
}
