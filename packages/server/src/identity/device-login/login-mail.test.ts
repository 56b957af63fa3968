import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { CommandLine } from './testing/command-line.ts';

describeEachServer('identity › the link of a browser login', (start) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-login-mail-'));
  const program = join(folder, 'sendmail');
  writeFileSync(program, '#!/bin/sh\ncat > "$0.part" && mv "$0.part" "$0.mail"\n');
  chmodSync(program, 0o755);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('is mailed to the address that was named', async () => {
    const server = await start({ mailProgram: program, rateLimits: false });
    const cli = new CommandLine(server, 'code-that-is-mailed');
    await cli.begin();
    expect((await cli.submit('max@example.com')).status).toBe(200);
    const mail = () => readFileSync(`${program}.mail`, 'utf8');
    await expect.poll(mail).toContain('To: <max@example.com>');
    const text = Buffer.from(mail().slice(mail().indexOf('\r\n\r\n')), 'base64').toString();
    expect(text).toContain(cli.links[0]?.url);
  });
});
