import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { CueScene } from '../testing/cue-scene.ts';

const HOUR = 3_600_000;
const NEVER = { schedule: { type: 'recurring', cron: '0 0 1 1 *' } };

describeEachServer('on_failure.email', (start) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-failure-mails-'));
  const program = join(folder, 'sendmail');
  mkdirSync(join(folder, 'sent'));
  writeFileSync(
    program,
    '#!/bin/sh\ncat > "$(dirname "$0")/part.$$"\nmv "$(dirname "$0")/part.$$" "$(dirname "$0")/sent/$$"\n',
  );
  chmodSync(program, 0o755);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const scene = new CueScene(start, {
    mailProgram: program,
    mailFrom: 'parley@example.com',
    rateLimits: true,
  });

  const sent = (): string[] =>
    readdirSync(join(folder, 'sent')).map((name) => readFileSync(join(folder, 'sent', name), 'utf8'));
  const fail = async (cueId: string): Promise<string> => {
    const { execution_id: id } = await scene.max.fire(cueId);
    await scene.max.claim(id);
    await scene.max.outcome(id, { success: false, error: 'the sea was rough' });
    return id;
  };

  test('goes to the address of the owner, ten times an hour at most, and not where the cue says no', async () => {
    const quiet = await scene.max.cue({ ...NEVER, on_failure: { email: false } });
    await fail(quiet.id);
    const cue = await scene.max.cue({ ...NEVER, name: 'tides' });
    const first = await fail(cue.id);
    await expect.poll(sent).toHaveLength(1);
    const [mail = ''] = sent();
    const me = await scene.max.call<{ email: string }>('GET', '/v1/auth/me');
    expect(mail).toContain(`From: parley@example.com\r\nTo: <${me.body.email}>\r\nSubject: tides failed\r\n`);
    const text = Buffer.from(mail.slice(mail.indexOf('\r\n\r\n')), 'base64').toString();
    expect(text).toContain(first);
    expect(text).toContain('the sea was rough');

    for (let failed = 1; failed < 12; failed += 1) await fail(cue.id);
    const { jobs } = scene.server.context;
    await expect.poll(() => jobs.waiting('delivery.failure_mail', 100)).toBe(0);
    expect(sent()).toHaveLength(10);
    await scene.later(HOUR);
    await fail(cue.id);
    await expect.poll(sent).toHaveLength(11);
    const { body } = await scene.max.call<{ switched_off: string[] }>('GET', '/v1/info');
    expect(body.switched_off).not.toContain('mailer');
  });
});
