import { describeInBrowser } from '@parley/server/testing/browser';
import { expect, test } from 'vitest';
import { chatSuite } from './testing/chat-suite.ts';

describeInBrowser('chat page › composer', () => {
  const suite = chatSuite();

  test('sends on Enter, breaks the line on Shift+Enter, ignores Enter while a word is composed', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await chat.page.locator('#text').pressSequentially('one');
    await chat.page.keyboard.press('Shift+Enter');
    await chat.page.locator('#text').pressSequentially('two');
    await chat.page.locator('#text').dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    expect(await chat.page.inputValue('#text')).toBe('one\ntwo');
    await chat.page.keyboard.press('Enter');
    await laptop.untilText('one\ntwo');
    await expect.poll(() => chat.page.inputValue('#text')).toBe('');
  });

  test('sends nothing that is blank', async () => {
    const conversation = await suite.converse();
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await chat.say('  \n ');
    expect(await chat.messages()).toEqual([]);
    expect(await chat.page.locator('#send').isDisabled()).toBe(true);
  });

  test('refuses more than 8,000 characters, says so, and keeps them', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await chat.say('x'.repeat(8_001));
    await expect
      .poll(() => chat.text('#composer-note'))
      .toBe('8,001 of 8,000 characters. Shorten it to send.');
    expect(await chat.page.locator('#send').isDisabled()).toBe(true);
    expect(await chat.messages()).toEqual([]);
    await chat.page.fill('#text', 'é'.repeat(8_000));
    await chat.page.click('#send');
    await laptop.untilText('é'.repeat(8_000));
  });

  test('grows to six lines and then scrolls', async () => {
    const conversation = await suite.converse();
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    const heightOf = async (lines: number) => {
      await chat.page.fill('#text', Array.from({ length: lines }, () => 'line').join('\n'));
      return await chat.page.locator('#text').evaluate((box) => box.clientHeight);
    };
    const [one, six, twenty] = [await heightOf(1), await heightOf(6), await heightOf(20)];
    expect(six - one).toBe(5 * 24);
    expect(twenty).toBe(six);
  });

  test('keeps half-written words when the person leaves and comes back', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await chat.page.fill('#text', 'half a thou');
    await chat.page.click('#leave');
    await laptop.untilGone('Ada');
    await expect.poll(() => chat.page.locator('#text').isDisabled()).toBe(true);
    await chat.page.click('#banner-button');
    await chat.joined();
    await expect.poll(() => chat.page.inputValue('#text')).toBe('half a thou');
  });
});
