import { on } from '../shared/dom.ts';
import { ChannelCipher } from '@parley/protocol/channels/envelope';
import { keyFingerprint } from '@parley/protocol/channels/key';
import { ChannelApi } from './channel-api.ts';
import { openChat } from './chat.ts';
import { readLink } from './link.ts';
import { Gate } from './view/gate.ts';

// A pasted link that differs only after the # sign changes nothing by itself.
on(window, 'hashchange', () => location.reload());

const link = readLink(document.body.dataset, location.hash);
const { key } = link;

if (typeof crypto.subtle === 'undefined') {
  refuse(
    'This page cannot encrypt here',
    'Browsers allow encryption only on secure pages. Open this link with https, or on the machine that runs the server.',
  );
} else if (key === null) {
  refuse(
    'This link is incomplete',
    'Its end is missing or cut short: the part after #k= opens the conversation. Ask for the link again and copy all of it.',
  );
} else {
  void open(key);
}

async function open(keyHex: string): Promise<void> {
  const [cipher, fingerprint] = await Promise.all([
    ChannelCipher.create(link.channel, keyHex),
    keyFingerprint(keyHex),
  ]);
  openChat(link, new ChannelApi(link.channel, link.token), cipher, fingerprint);
}

function refuse(title: string, text: string): void {
  new Gate('', () => undefined).refuse({ title, text, again: false });
}
