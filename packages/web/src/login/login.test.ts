import { randomBytes } from 'node:crypto';
import { describeInBrowser } from '@parley/server/testing/browser';
import { expect, test } from 'vitest';
import { chatSuite } from '../channel-chat/testing/chat-suite.ts';
import { sidewaysOverflow, untilFocused } from '../shared/testing/page-suite.ts';

describeInBrowser('login page', () => {
  const suite = chatSuite();

  /** As a program on a command line begins it. */
  async function begin(): Promise<{ code: string; url: string }> {
    const code = randomBytes(8).toString('hex');
    const response = await fetch(`${suite.server.url}/v1/auth/device-code`, {
      method: 'POST',
      body: JSON.stringify({ device_code: code }),
    });
    const { verification_url: url } = (await response.json()) as { verification_url: string };
    return { code, url };
  }

  test('takes the address with the keyboard alone, under its policy, and says where the link is', async () => {
    const { code, url } = await begin();
    const login = await suite.open(url);
    await login.sees('main', code);
    await untilFocused(login.page, 'email');
    await login.page.keyboard.type('sam@example.com');
    await login.page.keyboard.press('Enter');
    await login.sees('main', 'This server sends no mail');
    expect(await login.page.content()).not.toMatch(/__[A-Z]+__/);
  });

  test('says what to do when the link is not complete', async () => {
    const login = await suite.open(`${suite.server.url}/v1/auth/verify`);
    await login.sees('main', 'Begin again on the command line');
  });

  test.each([320, 390, 1280])('never scrolls sideways at %i px', async (width) => {
    const { url } = await begin();
    const login = await suite.open(url, { viewport: { width, height: 640 } });
    expect(await sidewaysOverflow(login.page)).toBe(0);
  });
});
