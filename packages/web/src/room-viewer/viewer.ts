import { byId, focusQuietly, on } from '../shared/dom.ts';
import { UnreadTitle } from '../shared/conversation/unread-title.ts';
import type { Entry } from './timeline.ts';
import { Typing } from './typing.ts';
import { ViewerApi } from './viewer-api.ts';
import { AgentsView } from './view/agents.ts';
import { Gate } from './view/gate.ts';
import { Intro } from './view/intro.ts';
import { KeepingView } from './view/keeping.ts';
import { LogView } from './view/log.ts';
import { StatusView } from './view/status.ts';
import { TurnBar } from './view/turn-bar.ts';
import { TypingView } from './view/typing.ts';
import { Watch, type WatchState } from './watch.ts';
import { WatchedRoom } from './watched-room.ts';
import { refusalInWords } from './words.ts';

/** Wires the parts of the page together and lets the person in. */
export function openViewer(roomId: string, codeInLink: string): void {
  const api = new ViewerApi(roomId);
  const page = byId('room');
  const title = new UnreadTitle();
  const room = new WatchedRoom(roomId, { added, changed });
  const typing = new Typing(() => [typingView, agents, turnBar].forEach((view) => view.refresh()));
  const gate = new Gate(enter);
  const status = new StatusView(room, askAgain);
  const log = new LogView(room);
  const agents = new AgentsView(room, typing);
  const intro = new Intro(room);
  const keeping = new KeepingView(room, async () => room.kept(await api.keep(code)));
  const turnBar = new TurnBar(room, typing);
  const typingView = new TypingView(room, typing);
  let watch: Watch | null = null;
  let code = codeInLink;

  if (code === '') gate.ask();
  else enter(code);

  on(window, 'pagehide', () => watch?.leave());
  on(window, 'pageshow', (event) => {
    if (event.persisted && watch !== null) enter(code);
  });
  on(window, 'online', () => watch?.retryNow());
  on(document, 'visibilitychange', () => {
    if (!document.hidden) watch?.retryNow();
  });

  function enter(given: string): void {
    watch?.leave();
    code = given;
    gate.opening();
    watch = new Watch({ api, code, room, typing, state: showState });
    void watch.follow();
  }

  function askAgain(): void {
    page.hidden = true;
    gate.ask();
  }

  function added(entries: readonly Entry[]): void {
    log.added(entries);
    if (!page.hidden) for (const { kind } of entries) if (kind === 'message') title.heard();
  }

  function changed(): void {
    title.name(room.now.topic || 'Room');
    for (const view of [agents, intro, turnBar, keeping, status, typingView]) view.refresh();
    if (room.isKnown) reveal();
  }

  function showState(state: WatchState): void {
    status.show(state);
    if (!page.hidden) return;
    if (state.kind === 'refused') gate.refuse(refusalInWords(state.error));
    if (state.kind === 'waiting') gate.waiting();
  }

  function reveal(): void {
    gate.close();
    if (!page.hidden) return;
    page.hidden = false;
    log.toEnd();
    focusQuietly(byId('scroll'));
  }
}
