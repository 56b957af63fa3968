import { afterAll, beforeAll, expect, test } from 'vitest';
import { crowd } from '../../../server/src/console/testing/crowd.ts';
import { MessageClient } from '../../../server/src/delivery/testing/message-client.ts';
import { describeInBrowser } from '../../../server/src/testing/browser.ts';
import { startServer, type TestServer } from '../../../server/src/testing/start-server.ts';
import { Entrance, FORMS } from './testing/enter.ts';
import { fillIn } from './testing/keyboard.ts';

describeInBrowser('console › very many owners', () => {
  const entrance = new Entrance();
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    await crowd(server, 201);
    for (const name of ['ann', 'zoe']) {
      const owner = await MessageClient.register(server, `${name}@example.com`);
      await owner.create({ slug: `boat-of-${name}` });
    }
  });
  afterAll(async () => {
    await entrance.close();
    await server.close();
  });

  test.each(FORMS)('one is found by typing its name, at %i pixels, %s', async (width, scheme) => {
    const page = await entrance.enter(server, [width, scheme]);
    await page.goto(`${server.url}/console/agents`);
    await page.getByText('boat-of-ann@ann').first().waitFor();
    await fillIn(page, 'Owner', 'zo');
    await page.locator('datalist option[value=zoe]').waitFor({ state: 'attached' });
    await page.keyboard.type('e');
    await expect.poll(() => page.url()).toContain('owner=zoe');
    await expect.poll(() => page.getByText('boat-of-ann@ann').count()).toBe(0);
    await page.getByText('boat-of-zoe@zoe').first().waitFor();
  });
});
