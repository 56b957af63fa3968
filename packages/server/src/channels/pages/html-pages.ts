import { filledPage, type HtmlPage } from '../../wire/html-page.ts';

export const chatPage = (channel: string, token: string): HtmlPage =>
  filledPage('channel-chat', { CHANNEL: channel, TOKEN: token });

export const landingPage = (base: string): HtmlPage => filledPage('landing', { BASE: base });
