import type { ChannelCipher } from '@parley/protocol/channels/envelope';
import { Attention } from './attention.ts';
import { type ChannelApi, ChannelError } from './channel-api.ts';
import { Conversation } from './conversation.ts';
import type { Link } from './link.ts';
import { followPageLife } from './page-life.ts';
import { Peers } from './peers.ts';
import { personName } from './person-name.ts';
import { ChatRoom, type RoomState } from './room.ts';
import { storageOrNull, Transcript } from './transcript.ts';
import { Composer } from './view/composer.ts';
import { buttonById, byId, on } from '../shared/dom.ts';
import { Gate } from './view/gate.ts';
import { Intro } from './view/intro.ts';
import { LogView } from './view/log.ts';
import { offerOptions } from './view/options.ts';
import { RosterView } from './view/roster.ts';
import { silenceReason, StatusView } from './view/status.ts';
import { WaitingView } from './view/waiting.ts';
import { refusalInWords } from './words.ts';

/** Wires the parts of the page together and lets the person in. */
export function openChat(link: Link, api: ChannelApi, cipher: ChannelCipher, fingerprint: string): void {
  const transcript = new Transcript(link.channel, storageOrNull('localStorage'));
  const tab = storageOrNull('sessionStorage');
  const tabSlot = `agentalk:${link.channel}`;
  const readerSlot = `${tabSlot}:reader`;
  const earlier = transcript.load();
  const conversation = new Conversation(earlier.entries);
  const peers = new Peers();
  const attention = new Attention(link.topic);

  const room = new ChatRoom({ api, cipher, fingerprint, conversation, peers }, { state: showState, heard });
  const gate = new Gate(link.topic, (name, reader) => {
    isReader = reader;
    void enter(name, false);
  });
  const status = new StatusView(() => void reconnect());
  const composer = new Composer((text, to) => void say(text, to));
  const roster = new RosterView(
    peers,
    () => room.name,
    () => isReader,
  );
  const intro = new Intro(link.topic, peers, conversation);
  const waiting = new WaitingView(peers);
  const earlierButton = buttonById('earlier');
  const log = new LogView(conversation, (entry) => void room.retry(entry));
  let lastName = earlier.name;
  let isReader = tab?.getItem(readerSlot) === 'yes';

  if (link.topic !== '') byId('topic').textContent = link.topic;
  offerOptions(attention, transcript, { clear, leave });
  peers.watch(() => {
    for (const view of [roster, intro, waiting]) view.refresh();
    composer.offer(peers.all.flatMap(({ name, kind }) => (kind === 'reader' ? [] : [name])));
  });
  conversation.watch({ added: keep, changed: keep, replaced: () => intro.refresh() });
  on(earlierButton, 'click', () => void showEarlier());
  on(byId('join-in'), 'click', () => void takePart());
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
    byId('room').hidden = false;
    log.toEnd();
    composer.focus();
  }

  async function join(name: string, patient: boolean): Promise<void> {
    const resumed = lastName === name && conversation.entries.length > 0;
    await room.enter({ name, patient, resumed, reader: isReader });
    lastName = room.name;
    tab?.setItem(tabSlot, lastName);
    tab?.setItem(readerSlot, isReader ? 'yes' : '');
    composer.show(!isReader);
    earlierButton.hidden = !room.hasEarlier;
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

  async function showEarlier(): Promise<void> {
    earlierButton.disabled = true;
    await room.showEarlier().then(
      () => (earlierButton.hidden = true),
      () => conversation.note('Earlier messages could not be fetched. Try again in a moment.', 'warn'),
    );
    earlierButton.disabled = false;
  }

  /** From reading to writing: the seat of the reader is given up for one that speaks. */
  async function takePart(): Promise<void> {
    room.farewell();
    isReader = false;
    await reconnect();
  }

  async function say(text: string, to: string): Promise<void> {
    log.toEnd();
    // Before it is sent: an answer may be there before we hear that it was taken.
    waiting.begin();
    if (await room.say(text, to)) await room.refreshRoster();
    else waiting.end();
  }

  function heard(from: string, text: string): void {
    waiting.end();
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
