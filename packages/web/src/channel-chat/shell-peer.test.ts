import { describeInBrowser } from '@parley/server/testing/browser';
import {
  type InitiatorSession,
  initiate,
  inSession,
  loopIsListening,
  startLoop,
} from '@parley/server/channels/pages/shell/testing/scene';
import {
  receivedText,
  ShellDesk,
  type StartedShell,
} from '@parley/server/channels/pages/shell/testing/shell-desk';
import { afterEach, expect, test } from 'vitest';
import { chatSuite, type ChatPage } from './testing/chat-suite.ts';

const BASH = { name: 'bash', command: ['bash', '--norc', '--noprofile'] } as const;
const SHORT_HOLD = { AGENTALK_COALESCE_S: '0.2' };
/** Longer than the test: the hold ends when the person leaves, however slow this machine is. */
const LONG_HOLD = { AGENTALK_COALESCE_S: '600', AGENTALK_COALESCE_MAX_S: '600' };
/** What the loop gathers of a person before it tells the agent. */
const BURST = ['Can you look at the tests?', 'They fail on `main`', 'it\'s "odd": $HOME & 漢字'];

describeInBrowser('chat page › with a shell peer', () => {
  const suite = chatSuite();
  const desks: ShellDesk[] = [];

  afterEach(async () => {
    for (const desk of desks.splice(0)) await desk.close();
  });

  /** An agent as the served bootstrap makes one, with its loop running, and a person who opened its link. */
  async function meet(
    hold: Record<string, string> = SHORT_HOLD,
  ): Promise<{ agent: InitiatorSession; ears: StartedShell; chat: ChatPage }> {
    const desk = new ShellDesk(BASH, 'api');
    desks.push(desk);
    const agent = await initiate(desk, suite.server.url);
    const ears = startLoop(agent, hold);
    await expect.poll(() => loopIsListening(agent)).toBe(true);
    const chat = await suite.open(`${agent.joinUrl}&n=Ada`);
    await chat.joined();
    return { agent, ears, chat };
  }

  test('both prove that they hold the key, and the agent is told that a person came', async () => {
    const { ears, chat } = await meet();
    expect(await ears.line(/HUMAN_JOINED/)).toBe('agentalk: HUMAN_JOINED name=Ada resumed=0');
    await chat.sees('#roster', 'api_');
    await chat.sees('#roster', 'agent · key confirmed');
  });

  test('what the person writes in a row reaches the agent as one burst, word for word', async () => {
    const { ears, chat } = await meet(LONG_HOLD);
    await ears.line(/HUMAN_JOINED/);
    for (const text of BURST) await chat.say(text);
    const unsent = chat.page.locator('.message .state:visible');
    await expect.poll(() => unsent.count()).toBe(0);
    await chat.page.click('#leave');
    const line = await ears.line(/BROADCAST/);
    expect(line).toContain(' from=Ada human=1 msgs=3 ');
    expect(receivedText(line)).toBe(BURST.join('\n\n'));
  });

  test('what the agent says appears on the page, and what it says to the person is marked so', async () => {
    const { agent, chat } = await meet();
    const said = await inSession(agent, `agentalk_say 'to all: <b>bold</b> & $(id)'`);
    const whispered = await inSession(agent, `agentalk_dm Ada 'to you: 漢字'`);
    expect([said.code, whispered.code]).toEqual([0, 0]);
    await chat.sees('.message', 'to you: 漢字');
    await expect.poll(() => chat.messages()).toEqual(['to all: <b>bold</b> & $(id)', 'to you: 漢字']);
    const asides = chat.page.locator('.message:has(.aside) .text');
    await expect.poll(() => asides.allInnerTexts()).toEqual(['to you: 漢字']);
  });

  test('a reload keeps what was said, takes the same seat again, and goes on in both directions', async () => {
    const { agent, ears, chat } = await meet();
    await ears.line(/HUMAN_JOINED/);
    await chat.say('before the reload');
    await ears.line(/BROADCAST .*preview=before the reload/);
    await chat.page.reload();
    await chat.joined();
    expect(await ears.line(/HUMAN_JOINED .*resumed=1/)).toBe('agentalk: HUMAN_JOINED name=Ada resumed=1');
    await inSession(agent, `agentalk_say 'welcome back'`);
    await chat.sees('.message', 'welcome back');
    await chat.say('after the reload');
    await ears.line(/BROADCAST from=Ada human=1 .*preview=after the reload/);
    await expect
      .poll(() => chat.messages())
      .toEqual(['before the reload', 'welcome back', 'after the reload']);
  });

  test('runs under its policy, and the agent hears when the person goes', async () => {
    const { ears, chat } = await meet();
    await ears.line(/HUMAN_JOINED/);
    await chat.say('bye');
    await ears.line(/BROADCAST/);
    expect(chat.complaints).toEqual([]);
    await chat.page.goto('about:blank');
    expect(await ears.line(/PEER_LEFT/)).toBe('agentalk: PEER_LEFT name=Ada human=1');
  });
});
