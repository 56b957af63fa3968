import type { ConsoleWebhooksAnswer } from '@parley/protocol/console/webhook-routes';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conversation, speak } from '../../../server/src/console/testing/conversation.ts';
import { PersonClient } from '../../../server/src/console/testing/person-client.ts';
import { MessageClient } from '../../../server/src/delivery/testing/message-client.ts';
import { operatorCode } from '../../../server/src/identity/sign-ins/operator-code.ts';
import { describeInBrowser, sharedBrowser } from '../../../server/src/testing/browser.ts';
import { startServer, type TestServer } from '../../../server/src/testing/start-server.ts';
import { WebhookSink } from '../../../server/src/testing/webhook-sink.ts';
import { fillIn, goTo, pressOn, tabTo, told } from './testing/keyboard.ts';
import { populateSystem } from './testing/populate-system.ts';

const closed = (page: Page) => expect.poll(() => page.locator('dialog').count()).toBe(0);

/** Rooms, webhooks and the system: what is done there, by keyboard alone. */
describeInBrowser('console › rooms, webhooks and the system by keyboard', () => {
  let server: TestServer;
  let sink: WebhookSink;
  let ann: MessageClient;
  let up = false;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    server = await startServer({ rateLimits: false, callbackAllow: ['127.0.0.1'] });
    sink = await new WebhookSink().listen();
    sink.answer = () => (up ? 200 : 410);
    ann = await MessageClient.register(server, 'ann@example.com');
    await ann.create({ slug: 'harbour', webhook_url: sink.url() });
    await ann.create({ slug: 'tide' });
    await populateSystem(server);
  });
  afterAll(async () => {
    for (const context of contexts) await context.close();
    await server.close();
    await sink.close();
  });

  const enter = async (width: number, colorScheme: 'light' | 'dark'): Promise<Page> => {
    const context = await (await sharedBrowser()).newContext({
      viewport: { width, height: 900 },
      colorScheme,
    });
    contexts.push(context);
    const page = await context.newPage();
    const { secrets, clock } = server.context;
    await page.goto(`${server.url}/console#code=${operatorCode(secrets, clock.now())}`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    return page;
  };

  test('a room: each turn appears by itself, a link is made once, and it is closed', async () => {
    const page = await enter(390, 'dark');
    const person = await PersonClient.signIn(server, { api_key: ann.owner.key });
    const pair = [person.as('harbour'), person.as('tide')] as const;
    const { room_id: room } = await conversation(pair, { topic: 'Who rings the bell' }, ['I could.']);
    await goTo(page, 'r', 'Rooms');
    await page.getByText('Who rings the bell').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Who rings the bell' }).waitFor();
    await speak(pair[1], room, 'Then I will listen.');
    await page.getByText('Then I will listen.').waitFor();
    await pressOn(page, 'New viewer link');
    await pressOn(page, 'Make it');
    await page.getByText(/\/watch\/room_.*#code=/).waitFor();
    await pressOn(page, 'Done');
    await closed(page);
    await pressOn(page, 'Close');
    await tabTo(page, 'Cancel');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await told(page, 'The room is closed');
    await page.getByText('ended by one of them').first().waitFor();
    expect(await person.read(`/v1/console/rooms/${room}`)).toMatchObject({ state: 'CLOSED', turn: 2 });
  });

  test('a receiver that is gone fails in the list, and takes what is replayed once it is back', async () => {
    const page = await enter(1280, 'light');
    await ann.send('harbour', { delivery_mode: 'webhook' });
    await goTo(page, 'w', 'Webhooks');
    await page.getByRole('table').getByText('failing').waitFor();
    up = true;
    await pressOn(page, 'Replay');
    await tabTo(page, 'Cancel');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await told(page, 'One is sent again');
    await page.getByRole('table').getByText('well').waitFor();
    const operator = await PersonClient.operator(server);
    const { webhooks } = await operator.read<ConsoleWebhooksAnswer>('/v1/console/webhooks');
    expect(webhooks).toMatchObject([{ delivered: 1, failed: 1, failing_since: null }]);
    await pressOn(page, 'Rotate');
    await pressOn(page, 'Replace it');
    await page.getByText('it is not shown again').waitFor();
    await pressOn(page, 'Done');
    await closed(page);
  });

  test('the system: jobs are dropped, a backup is made, the log level is changed and given back', async () => {
    const page = await enter(1280, 'dark');
    await goTo(page, 't', 'System');
    await page.getByRole('heading', { name: 'Dead jobs: 3' }).waitFor();
    await pressOn(page, 'Drop');
    await tabTo(page, 'Cancel');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await told(page, 'Dropped');
    await page.getByRole('heading', { name: 'Dead jobs: 2' }).waitFor();
    await pressOn(page, 'Back up now');
    await page.getByRole('link', { name: 'Download' }).waitFor();
    await pressOn(page, 'Invite');
    await pressOn(page, 'Make a code');
    await page.getByText('it is not shown again').waitFor();
    await pressOn(page, 'Done');
    await closed(page);
    await pressOn(page, 'Log level');
    await fillIn(page, 'Level', 'warn');
    await pressOn(page, 'Set');
    await told(page, 'The log level is warn');
    expect(server.context.log.level).toBe('warn');
    await pressOn(page, 'Undo');
    await expect.poll(() => server.context.log.level).toBe('info');
  });
});
