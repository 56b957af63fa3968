import { hexToBytes } from '@parley/protocol/channels/bytes';
import { ChannelCipher } from '@parley/protocol/channels/envelope';
import { type ChannelEvent, eventLine } from '@parley/protocol/channels/event-lines';
import { keyFingerprint } from '@parley/protocol/channels/key';
import { describe, expect, test } from 'vitest';
import {
  claudeUserStub,
  initiatorPage,
  joinerPage,
  notFoundMarkdown,
  shareMessage,
  shareMessageHuman,
  skillPage,
} from './pages.ts';

const base = 'https://parley.example:7330';
const channelId = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';
const token = 'ab'.repeat(24);

const pages = {
  initiator: initiatorPage({ base }),
  joiner: joinerPage({ base, channelId, token }),
  'joiner without a token': joinerPage({ base, channelId }),
  stub: claudeUserStub({ base, channelId, token }),
  skill: skillPage({ base }),
  'not found': notFoundMarkdown({ base, method: 'GET', path: '/nowhere' }),
};

const markers = {
  both: [
    'run_in_background',
    'Monitor',
    'Without Monitor armed',
    'tail -f -n +1',
    'agentalk-events-',
    'persistent:',
    'AES-256-GCM',
    '#k=',
    'room',
    'agentalk_say',
    'agentalk_dm',
    'hand-build',
    'broadcast',
    'DM',
    '"text":',
    '"to":',
    '"hello":',
    '"welcome":',
    '"human": true',
    'timeout_ms: 3600000',
    'FATAL',
    'channel_gone',
    'bad_request',
    'rejoin_failed',
    'hello_send_failed',
    'participant_not_in_channel',
    'loop_already_running',
    'Parley',
  ],
  initiator: [
    'You are the initiator',
    'do not rewrite',
    'prompt-injection',
    'do not re-bootstrap',
    'evicted_idle',
    'evicted_hibernate_expired',
    'share_message_human',
    'cursor',
    'plain language',
    'no jargon',
    'agentalk-loop.sh',
    `. <(curl -fsS '${base}/bootstrap.sh')`,
  ],
  joiner: [
    'You are the joiner',
    'extract',
    'others=',
    'loop_not_sourced',
    'loop_env_incomplete',
    'Read the `key=` field',
    'AGENTALK_KEY',
    `. <(curl -fsS '${base}/c/${channelId}/bootstrap.sh?token=${token}')`,
  ],
};

// One of each kind: a kind added to the union does not compile until it is added here, and is then asked of the pages.
const events: { [Type in ChannelEvent['type']]: Extract<ChannelEvent, { type: Type }>[] } = {
  paired: [{ type: 'paired', name: 'a' }],
  welcomed: [{ type: 'welcomed', name: 'a' }],
  human_joined: [{ type: 'human_joined', name: 'a', resumed: false }],
  message: (['broadcast', 'dm'] as const).map((kind) => ({
    type: 'message',
    kind,
    from: 'a',
    human: false,
    count: 1,
    text: 'x',
    file: '/f',
  })),
  decrypt_fail: [{ type: 'decrypt_fail', from: 'a' }],
  replayed: [{ type: 'replayed', from: 'a' }],
  gap: [{ type: 'gap', from: 'a', missing: 1 }],
  peer_left: [{ type: 'peer_left', name: 'a', human: false }],
  peer_stale: [{ type: 'peer_stale', name: 'a', unseen: 181 }],
  peer_back: [{ type: 'peer_back', name: 'a' }],
  key_mismatch: [{ type: 'key_mismatch', name: 'a' }],
  key_unverified: [{ type: 'key_unverified', name: 'a' }],
  resumed: [{ type: 'resumed', channel: 'c', name: 'a' }],
  rejoin_failed: [{ type: 'rejoin_failed', error: 'x' }],
  system: [{ type: 'system', reason: 'channel_gone' }],
};
const eventWords = Object.values(events)
  .flat()
  .map((event) => eventLine(event).split(' ')[1] ?? '');

describe('channel pages › words that readers look for', () => {
  test.each([...markers.both, ...markers.initiator])('the initiator page has %s', (word) => {
    expect(pages.initiator).toContain(word);
  });

  test.each([...markers.both, ...markers.joiner])('the joiner page has %s', (word) => {
    expect(pages.joiner).toContain(word);
  });

  test('each page names its own role only', () => {
    expect(pages.initiator).not.toContain('You are the joiner');
    expect(pages.joiner).not.toContain('You are the initiator');
  });

  test.each(eventWords)('both pages explain %s', (word) => {
    expect(pages.initiator).toContain(`\`${word} `);
    expect(pages.joiner).toContain(`\`${word} `);
  });

  test.each(Object.entries(pages))('the %s page has no unfilled place', (_name, text) => {
    expect(text).not.toMatch(/\{\{[^}]*\}\}/);
    expect(text).toContain(base);
  });

  test('has no curly-brace placeholder in a command', () => {
    for (const text of Object.values(pages)) {
      for (const [, block] of text.matchAll(/```sh\n([\s\S]*?)```/g)) expect(block).not.toMatch(/\{\w+\}/);
    }
  });
});

describe('channel pages › vector', () => {
  test('is one that our own envelope makes and opens', async () => {
    for (const text of [pages.initiator, pages.joiner]) {
      const field = (name: string) => new RegExp(`^${name.padEnd(7)}(\\S.*)$`, 'm').exec(text)?.[1] ?? '';
      const [id = '', name = ''] = field('aad').split(':');
      const cipher = await ChannelCipher.create(id, field('key'));
      expect(field('plain')).toBe('{"text":"hello"}');
      expect(await cipher.seal(name, field('plain'), hexToBytes(field('nonce')))).toBe(field('blob'));
      expect((await cipher.open(name, field('blob')))?.envelope).toEqual({ text: 'hello' });
      expect(await keyFingerprint(field('key'))).toBe(field('key_fp'));
    }
  });
});

describe('channel pages › joiner page', () => {
  test('shows a place to fill instead of a token or id that is not hex', () => {
    const page = joinerPage({ base, channelId: "x'; rm -rf ~ #", token: '$(id)' });
    expect(page).not.toContain('rm -rf');
    expect(page).not.toContain('$(id)');
    expect(page).toContain('PUT_THE_TOKEN_HERE');
  });

  test('depends on nothing but its values', () => {
    expect(joinerPage({ base, channelId, token })).toBe(pages.joiner);
  });
});

describe('channel pages › stub for a web fetch', () => {
  test('gives the exact command', () => {
    expect(pages.stub).toContain(`curl -fsS '${base}/c/${channelId}?token=${token}'`);
  });
});

const joinUrl = `${base}/c/${channelId}?token=${token}#k=__KEY__`;

describe('channel pages › share message', () => {
  const lines = shareMessage({ joinUrl }).split('\n');

  test('has the URL alone on one line, under the request in the words of the user', () => {
    const at = lines.indexOf(joinUrl);
    expect(lines.join('\n').split(joinUrl)).toHaveLength(2);
    expect(lines[at - 1]).toContain('Talk to my other Claude');
    expect(lines[at - 1]).toContain('curl this URL to start');
  });

  test('says what it must and nothing that it must not', () => {
    const text = lines.join('\n');
    expect(text).toMatch(/^Channel ready\./);
    expect(text.split('__KEY__')).toHaveLength(2);
    expect(text).toMatch(/prompt-injection|browser link/);
    expect(text).toContain('several peers');
    expect(text).not.toMatch(/__TOPIC__|Tap here|nothing to install/);
  });

  test('adds the place of the key to a URL that has none', () => {
    expect(shareMessage({ joinUrl: joinUrl.replace('#k=__KEY__', '') })).toBe(lines.join('\n'));
  });
});

describe('channel pages › share message for a person', () => {
  const text = shareMessageHuman({ joinUrl });

  test('has URL, key place and topic once each', () => {
    for (const once of [joinUrl, '__KEY__', '__TOPIC__']) expect(text.split(once)).toHaveLength(2);
  });

  test('tells who asks and how the conversation is kept, in words for a person', () => {
    expect(text).toContain('AI agent');
    expect(text).toContain('end-to-end encrypted');
    expect(text).toContain('short-lived');
    expect(text).not.toMatch(/[{}]|curl|Tap here|nothing to install/i);
  });
});

describe('channel pages › skill', () => {
  test('opens with the front matter', () => {
    expect(pages.skill).toMatch(/^---\nname: agentalk\ndescription: .+\nallowed-tools: .+\n---\n/);
  });

  test('holds the etiquette', () => {
    for (const rule of ['standing permission', 'no secrets', 'destructive', 'untrusted input']) {
      expect(pages.skill).toContain(rule);
    }
  });
});

describe('channel pages › unrouted request', () => {
  test('names the request, the SDK page and the missing POST /', () => {
    const text = notFoundMarkdown({ base, method: 'POST', path: '/' });
    expect(text).toContain('`POST /`');
    expect(text).toContain('SDK page');
    expect(text).toContain(`GET ${base}/llms.txt`);
    expect(text).toContain('no `POST /`');
  });

  test('shows a hostile path as text', () => {
    const text = notFoundMarkdown({ base, method: 'GET', path: '/`\n# hi <script>alert(1)</script>' });
    expect(text).not.toContain('<script>');
    expect(text).not.toMatch(/^# hi/m);
    expect(text).toContain('`GET /??#?hi');
  });
});
