import { keyToFragment, newKey } from '@parley/protocol/channels/key';
import { type Channel, ChannelClient } from '@parley/server/testing/channel-client';
import type { TestOptions } from '@parley/server/testing/start-server';
import { OpenPage, type PageSuite, pageSuite } from '../../shared/testing/page-suite.ts';
import { SealedPeer } from './sealed-peer.ts';

/** A channel with its key, and the link an agent would hand to a person. */
export class TestConversation {
  readonly channel: Channel;
  readonly key = newKey();

  constructor(channel: Channel) {
    this.channel = channel;
  }

  link(more = '', key = keyToFragment(this.key)): string {
    const { client, id, token } = this.channel;
    return `${client.url}/c/${id}?token=${token}#k=${key}${more}`;
  }

  async peer(name: string, key = this.key, keyFp?: string | null): Promise<SealedPeer> {
    return await SealedPeer.join(this.channel, name, key, keyFp);
  }
}

export class ChatPage extends OpenPage {
  async joined(): Promise<void> {
    await this.page.locator('#room').waitFor();
    await this.sees('#status', 'connected');
  }

  async say(text: string): Promise<void> {
    await this.page.fill('#text', text);
    await this.page.press('#text', 'Enter');
  }
}

export interface ChatSuite extends PageSuite<ChatPage> {
  converse(): Promise<TestConversation>;
}

export function chatSuite(options: TestOptions = {}): ChatSuite {
  const suite = pageSuite(options, (page) => new ChatPage(page));
  return {
    get server() {
      return suite.server;
    },
    open: (url, how) => suite.open(url, how),
    async converse() {
      return new TestConversation(await new ChannelClient(suite.server).create());
    },
  };
}
