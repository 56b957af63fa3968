import type { ConsoleWebhooksAnswer } from '@parley/protocol/console/webhook-routes';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conversation, speak } from '../../../server/src/console/testing/conversation.ts';
import { PersonClient } from '../../../server/src/console/testing/person-client.ts';
import { MessageClient } from '../../../server/src/delivery/testing/message-client.ts';
import { describeInBrowser } from '../../../server/src/testing/browser.ts';
import { startServer, type TestServer } from '../../../server/src/testing/start-server.ts';
import { type SinkAnswer, WebhookSink } from '../../../server/src/testing/webhook-sink.ts';
import { Ledger } from './testing/actions-table.ts';
import { Entrance, FORMS, type Form } from './testing/enter.ts';
import { choose, fillIn, goTo, pressOn, tabTo, told } from './testing/keyboard.ts';
import { populateSystem } from './testing/populate-system.ts';

const closed = (page: Page) => expect.poll(() => page.locator('dialog').count()).toBe(0);
const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();

/** The button that does it stands after the one that does not, and may be called as the one that opened the question. */
async function confirm(page: Page): Promise<void> {
  await tabTo(page, 'Cancel');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
}

/** Rooms, webhooks and the system: what is done there, by keyboard alone, wide and light, narrow and dark. */
describeInBrowser('console › rooms, webhooks and the system by keyboard', () => {
  const entrance = new Entrance();
  const ledger = new Ledger('operating');
  let server: TestServer;
  let sink: WebhookSink;
  let ann: MessageClient;
  let up = false;
  let down: SinkAnswer = 410;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false, callbackAllow: ['127.0.0.1'] });
    sink = await new WebhookSink().listen();
    sink.answer = () => (up ? 200 : down);
    ann = await MessageClient.register(server, 'ann@example.com');
    await ann.create({ slug: 'harbour', webhook_url: sink.url() });
    await ann.create({ slug: 'tide' });
    await populateSystem(server);
  });
  afterAll(async () => {
    await entrance.close();
    await server.close();
    await sink.close();
  });

  test.each(FORMS)('rooms at %i pixels, %s', async (...form: Form) => {
    const [width] = form;
    const page = await entrance.enter(server, form, { permissions: ['clipboard-read', 'clipboard-write'] });
    const person = await PersonClient.signIn(server, { api_key: ann.owner.key });
    const pair = [person.as('harbour'), person.as('tide')] as const;
    const topic = `Who rings the bell at ${width}`;
    const { room_id: room } = await conversation(pair, { topic }, ['I could.']);
    await goTo(page, 'r', 'Rooms');
    await page.getByText(topic).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await heading(page, topic);
    ledger.did(form, 'Rooms: open');
    await speak(pair[1], room, 'Then I will listen.');
    await page.getByText('Then I will listen.').waitFor();
    await pressOn(page, 'New viewer link');
    await pressOn(page, 'Make it');
    await page.getByText(/\/watch\/room_.*#code=/).waitFor();
    await pressOn(page, /^Copy the command/);
    const link = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(link).toMatch(/\/watch\/room_.*#code=/);
    ledger.did(form, 'Room: make and copy a viewer link');
    await pressOn(page, 'Done');
    await closed(page);
    await pressOn(page, 'Close');
    await confirm(page);
    await told(page, 'The room is closed');
    await page.getByText('ended by one of them').first().waitFor();
    expect(await person.read(`/v1/console/rooms/${room}`)).toMatchObject({ state: 'CLOSED', turn: 2 });
    ledger.did(form, 'Room: close');

    await goTo(page, 'r', 'Rooms');
    await pressOn(page, 'Offer a listing');
    await page.locator('dialog option', { hasText: 'tide@ann' }).waitFor({ state: 'attached' });
    await choose(page, 'Offered by', 'tide');
    await fillIn(page, 'Topic', `Buoys of ${width}`);
    await pressOn(page, 'Offer');
    await pressOn(page, 'Open the room');
    await heading(page, `Buoys of ${width}`);
    ledger.did(form, 'Rooms: offer a listing');
  });

  test.each(FORMS)('a receiver that is gone and comes back, at %i pixels, %s', async (...form: Form) => {
    // It is killed: what was sent is tried again by itself, but a person sees it at once.
    [up, down] = [false, 'hang up'];
    const page = await entrance.enter(server, form);
    await ann.send('harbour', { delivery_mode: 'webhook' });
    const killed = page.getByText('A webhook of harbour@ann does not take what it is sent');
    await killed.waitFor();
    up = true;
    await pressOn(page, 'Replay');
    await told(page, 'What it did not take is sent again');
    await expect.poll(() => killed.count()).toBe(0);
    ledger.did(form, 'Overview: replay to a webhook');

    [up, down] = [false, 410];
    const lost = await ann.send('harbour', { delivery_mode: 'webhook' });
    await goTo(page, 'o', 'Overview');
    await page.getByText('A message did not reach harbour@ann').waitFor();
    await goTo(page, 'w', 'Webhooks');
    await page.getByRole('table').getByText('failing').waitFor();
    up = true;
    await pressOn(page, 'Replay');
    await choose(page, 'What failed in', 'the last hour');
    await confirm(page);
    await told(page, 'sent again');
    await page.getByRole('table').getByText('well').waitFor();
    const operator = await PersonClient.operator(server);
    const { webhooks } = await operator.read<ConsoleWebhooksAnswer>('/v1/console/webhooks');
    expect(webhooks).toMatchObject([{ failing_since: null }]);
    ledger.did(form, 'Webhooks: replay a range');
    await goTo(page, 'o', 'Overview');
    await page.getByText('Awake now').waitFor();
    await expect.poll(() => page.getByText('A message did not reach harbour@ann').count()).toBe(0);
    expect(lost.id).toMatch(/^msg_/);

    await goTo(page, 'w', 'Webhooks');
    await pressOn(page, 'Rotate');
    await pressOn(page, 'Replace it');
    await page.getByText('it is not shown again').waitFor();
    await pressOn(page, 'Done');
    await closed(page);
    ledger.did(form, 'Webhooks: replace the secret');
    await pressOn(page, 'Test');
    await pressOn(page, 'Send it');
    await heading(page, 'Webhook test');
    await page.locator('.path li[aria-current=step]', { hasText: 'delivered' }).waitFor();
    await pressOn(page, /^The request/);
    await page.getByText(`POST ${sink.url()}`).waitFor();
    await page.getByText('X-CueAPI-Signature: •••').waitFor();
    ledger.did(form, 'Webhooks: test');
  });

  test.each(FORMS)('endpoints of rooms and events, at %i pixels, %s', async (...form: Form) => {
    [up, down] = [false, 410];
    const person = await PersonClient.signIn(server, { api_key: ann.owner.key });
    const hook = { url: sink.url('/rooms'), secret: 'tell-nobody-of-this-secret' };
    const made = await person.as('tide').call<{ id: string }>('POST', '/v1/agent/webhooks', { body: hook });
    const wish = {
      event_type: 'execution.outcome',
      delivery_target: 'webhook',
      webhook_url: sink.url('/events'),
    };
    const subscribed = await ann.call<{ id: string }>('POST', '/v1/agents/harbour/subscriptions', {
      body: wish,
    });
    expect([made.status, subscribed.status]).toEqual([201, 201]);
    await conversation([person.as('harbour'), person.as('tide')], { topic: `Hooks at ${form[0]}` }, [
      'Hello.',
      'Hello.',
      'And now?',
    ]);
    const page = await entrance.enter(server, form);
    const went = () => sink.received.filter(({ path }) => path === '/rooms').length;
    await expect.poll(went).toBeGreaterThanOrEqual(2);

    await page.goto(`${server.url}/console/webhooks?kind=room`);
    await page.getByRole('table').getByText('failing').waitFor();
    up = true;
    await pressOn(page, 'Replay');
    const rows = page.getByRole('list', { name: 'What it did not take' }).getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(2);
    const before = went();
    await pressOn(page, /^Send again: message/);
    await told(page, 'It is sent again');
    await expect.poll(() => rows.count()).toBe(1);
    await expect.poll(went).toBe(before + 1);
    ledger.did(form, 'Webhooks: replay one');
    await confirm(page);
    await told(page, 'One is sent again');
    await closed(page);
    await expect.poll(went).toBe(before + 2);
    for (const [kind, type] of [
      ['room', 'webhook.test'],
      ['events', undefined],
    ] as const) {
      await page.goto(`${server.url}/console/webhooks?kind=${kind}`);
      const path = kind === 'room' ? '/rooms' : '/events';
      await page.getByRole('table').getByText(sink.url(path)).waitFor();
      await pressOn(page, 'Test');
      await pressOn(page, 'Send it');
      await page.getByText('It was taken: the receiver answered 200.').waitFor();
      expect(sink.received.findLast((each) => each.path === path)?.body['type']).toBe(type);
      await pressOn(page, 'Done');
      await closed(page);
    }
    ledger.did(form, 'Webhooks: test an endpoint of rooms and one of events');
    await person.as('tide').call('DELETE', `/v1/agent/webhooks/${made.body.id}`);
    await ann.call('DELETE', `/v1/agents/harbour/subscriptions/${subscribed.body.id}`);
  });

  test.each(FORMS)('the system at %i pixels, %s', async (...form: Form) => {
    // What is retried gives up again at once.
    const before = 3 - FORMS.indexOf(FORMS.find(([width]) => width === form[0]) ?? form);
    await expect.poll(async () => (await server.context.jobs.dead()).length).toBe(before);
    const page = await entrance.enter(server, form);
    await page.getByText('A background job gave up').first().waitFor();
    await pressOn(page, 'Retry');
    await told(page, 'It begins anew');
    await expect.poll(async () => (await server.context.jobs.dead()).length).toBe(before);
    ledger.did(form, 'Overview: retry a dead job');
    await goTo(page, 't', 'System');
    const left = (count: number) => page.getByRole('heading', { name: `Dead jobs: ${count}` }).waitFor();
    await left(before);
    await pressOn(page, 'Drop');
    await confirm(page);
    await told(page, 'Dropped');
    await left(before - 1);
    ledger.did(form, 'System: drop a dead job');
    await pressOn(page, 'Retry');
    await told(page, 'It begins anew');
    ledger.did(form, 'System: retry a dead job');
    await pressOn(page, 'Back up now');
    await page.getByRole('link', { name: 'Download' }).first().waitFor();
    const file = page.waitForEvent('download');
    await pressOn(page, 'Download');
    expect((await file).suggestedFilename()).toMatch(/\w/);
    ledger.did(form, 'System: back up and download');
    await pressOn(page, 'Invite');
    await pressOn(page, 'Make a code');
    await page.getByText('it is not shown again').waitFor();
    await pressOn(page, 'Done');
    await closed(page);
    ledger.did(form, 'System: invite');
    await pressOn(page, 'Log level');
    await choose(page, 'Level', 'warn');
    await pressOn(page, 'Set');
    await told(page, 'The log level is warn');
    expect(server.context.log.level).toBe('warn');
    await pressOn(page, 'Undo');
    await expect.poll(() => server.context.log.level).toBe('info');
    ledger.did(form, 'System: log level');
  });

  test('nothing of it was left out', () => {
    expect(ledger.missing()).toEqual([]);
  });
});
