import { talk } from '@parley/server/rooms/testing/room-client';
import { describeInBrowser } from '@parley/server/testing/browser';
import { expect, test } from 'vitest';
import { viewerSuite } from '../../room-viewer/testing/viewer-suite.ts';
import { chatSuite } from '../../channel-chat/testing/chat-suite.ts';

const LINK = (href: string, label: string, target = '') =>
  `<a href="${href}" target="_blank" rel="noopener noreferrer">${label}</a>${target && `<span class="target"> (${target})</span>`}`;

describeInBrowser('markdown', () => {
  const suite = chatSuite();
  const rooms = viewerSuite();

  /** What the page makes of each text, without the noise of directions and tab stops. */
  async function shown(texts: readonly string[]): Promise<string[]> {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    for (const text of texts) await laptop.say(text);
    await expect.poll(() => chat.page.locator('.message').count()).toBe(texts.length);
    const html = await chat.page
      .locator('.message .text')
      .evaluateAll((all) => all.map((each) => each.innerHTML));
    return html.map((each) => each.replace(/ dir="\w+"| tabindex="0"| class="code-head"/g, ''));
  }

  const CASES: [string, string][] = [
    ['plain *text', '<p>plain *text</p>'],
    ['two\nlines\n\n\nand more', '<p>two\nlines</p><p>and more</p>'],
    ['# One\n## Two\n#### Four\n#none', '<h3>One</h3><h4>Two</h4><h5>Four</h5><p>#none</p>'],
    [
      '**bold** and *soft* and __bold__ _soft_',
      '<p><strong>bold</strong> and <em>soft</em> and <strong>bold</strong> <em>soft</em></p>',
    ],
    ['**a *b* `c*` d**', '<p><strong>a <em>b</em> <code>c*</code> d</strong></p>'],
    ['2 * 3 * 4, snake_case_name, **open', '<p>2 * 3 * 4, snake_case_name, **open</p>'],
    ['***both***', '<p><strong><em>both</em></strong></p>'],
    ['a `b` ``c ` d`` ` e', '<p>a <code>b</code> <code>c ` d</code> ` e</p>'],
    [
      '- a\n- b\n  - c\n\n  more b\n- d\nend',
      '<ul><li><p>a</p></li><li><p>b</p><ul><li><p>c</p></li></ul><p>more b</p></li><li><p>d</p></li></ul><p>end</p>',
    ],
    ['3. c\n4. d\n- e', '<ol start="3"><li><p>c</p></li><li><p>d</p></li></ol><ul><li><p>e</p></li></ul>'],
    [
      '> quoted\n> > twice\nnot',
      '<blockquote><p>quoted</p><blockquote><p>twice</p></blockquote></blockquote><p>not</p>',
    ],
    ['a\n\n---\nb', '<p>a</p><hr><p>b</p>'],
    [
      '| a | b |\n|---|--:|\n| **1** | 2 |\nend',
      '<div class="table"><table><tr><th>a</th><th style="text-align: end;">b</th></tr><tr><td><strong>1</strong></td><td style="text-align: end;">2</td></tr></table></div><p>end</p>',
    ],
    ['a | b\nno table', '<p>a | b\nno table</p>'],
    [
      'see https://a.example/x_y_z.',
      `<p>see ${LINK('https://a.example/x_y_z', 'https://a.example/x_y_z')}.</p>`,
    ],
    [
      '[**the** tide](http://a.example/t?x=1)',
      `<p>${LINK('http://a.example/t?x=1', '<strong>the</strong> tide', 'a.example/t?x=1')}</p>`,
    ],
    [
      '[https://good.example](https://evil.example/)',
      `<p>${LINK('https://evil.example/', 'https://good.example', 'evil.example/')}</p>`,
    ],
    [
      '[x](javascript:alert(1)) [y](data:text/html,z) ftp://a',
      '<p>[x](javascript:alert(1)) [y](data:text/html,z) ftp://a</p>',
    ],
    ['https://good.example@evil.example/', '<p>https://good.example@evil.example/</p>'],
    [
      '<b>no</b> &amp; <img src=x onerror=alert(1)>',
      '<p>&lt;b&gt;no&lt;/b&gt; &amp;amp; &lt;img src=x onerror=alert(1)&gt;</p>',
    ],
  ];

  test('becomes elements, and what is no mark stays as typed', async () => {
    expect(await shown(CASES.map(([source]) => source))).toEqual(CASES.map(([, html]) => html));
  });

  test('keeps code as it is: fences of both kinds, longer ones, open ones', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await laptop.say(
      'see:\n```js title=x\n# let **a**;\n```\n~~~\n```\n~~~\n````\n```\n````\n```\r\na\r\n- b',
    );
    await chat.sees('.message', '- b');
    expect(await chat.page.locator('.code pre').allInnerTexts()).toEqual([
      '# let **a**;',
      '```',
      '```',
      'a\n- b',
    ]);
    expect(await chat.page.locator('.code-head span').allInnerTexts()).toEqual([
      'js',
      'code',
      'code',
      'code',
    ]);
  });

  test('is bounded in depth and number, whatever is sent', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    const nested = Array.from({ length: 200 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n');
    const hostile = [
      `${'>'.repeat(5_000)} quote`,
      nested,
      '- item\n'.repeat(6_000),
      '*a **b '.repeat(6_000),
      '['.repeat(45_000),
      Array.from({ length: 300 }, (_, length) => '`'.repeat(length + 1)).join(' '),
      `${'|a'.repeat(9_000)}|\n${'|-'.repeat(9_000)}|\n|x|y|`,
      `a${' '.repeat(45_000)}b`,
    ];
    for (const text of hostile) await laptop.say(text);
    await laptop.say('still here');
    await chat.sees('.message', 'still here');
    const deepest = await chat.page.locator('.message .text').evaluateAll((all) => {
      const depthOf = (node: Element): number =>
        1 + Math.max(0, ...[...node.children].map((child) => depthOf(child)));
      return Math.max(...all.map(depthOf));
    });
    expect(deepest).toBeLessThan(32);
    const most = await chat.page
      .locator('.message .text')
      .evaluateAll((all) => Math.max(...all.map((each) => each.querySelectorAll('*').length)));
    expect(most).toBeLessThan(5_000);
  });

  test('looks the same to the readers of a room, and a wide table scrolls in its own box', async () => {
    const room = await rooms.client.room();
    const viewer = await rooms.watch(room, { viewport: { width: 320, height: 640 } });
    await viewer.reading();
    await room.a.send(
      room.id,
      `# Tides\n\n|${' wide cell |'.repeat(12)}\n|${'---|'.repeat(12)}\n|${' 1 |'.repeat(12)}`,
    );
    await viewer.sees('.message h3', 'Tides');
    expect(await viewer.page.locator('.table').evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(
      true,
    );
    expect(await viewer.page.locator('#scroll').evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    await talk(room, 2);
  });
});
