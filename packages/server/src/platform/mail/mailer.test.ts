import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { createMailer, written } from './mailer.ts';

const bodyOf = (mail: string): string =>
  Buffer.from(mail.slice(mail.indexOf('\r\n\r\n')), 'base64').toString();
const mailer = (path: string) => createMailer({ program: path, from: undefined, clock: systemClock });
const headOf = (mail: string): string[] => mail.slice(0, mail.indexOf('\r\n\r\n')).split('\r\n');

describe('mails', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  const program = (script: string): string => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-mail-'));
    folders.push(folder);
    const path = join(folder, 'sendmail');
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const mail = { to: 'max@example.com', subject: 'tides failed', text: 'No answer.\n.\nBye é\n' };

  test('are handed to a program as sendmail takes them, without what the server knows', async () => {
    const path = program('cat > "$0.mail"; echo "$@" > "$0.args"; env > "$0.env"');
    process.env.PARLEY_SECRET_KEY_OF_THIS_TEST = 'secret';
    await mailer(path).send(mail);
    delete process.env.PARLEY_SECRET_KEY_OF_THIS_TEST;
    const sent = readFileSync(`${path}.mail`, 'utf8');
    expect(headOf(sent).slice(0, 2)).toEqual(['To: <max@example.com>', 'Subject: tides failed']);
    expect(bodyOf(sent)).toBe(mail.text);
    expect(readFileSync(`${path}.args`, 'utf8')).toBe('-t -i\n');
    expect(readFileSync(`${path}.env`, 'utf8')).not.toContain('secret');
  });

  test('that the program does not take are told with its words', async () => {
    await expect(mailer(program('echo "no route" >&2; exit 75')).send(mail)).rejects.toThrow(
      'the mail program ended with 75: no route',
    );
    await expect(mailer('/no/such/program').send(mail)).rejects.toThrow('ENOENT');
  });

  test('have one head, whatever is in it, and lines that every server takes', () => {
    const sent = written(
      { to: 'a@b.c>\r\nBcc: <x@y.z', subject: 'é\r\nBcc: x@y.z 😀'.repeat(9), text: 'x'.repeat(500) },
      'Parley <p@example.com>\nBcc: x@y.z',
    );
    const names = headOf(sent)
      .filter((line) => !line.startsWith(' '))
      .map((line) => line.split(':')[0]);
    expect(names).toEqual([
      'From',
      'To',
      'Subject',
      'Auto-Submitted',
      'MIME-Version',
      'Content-Type',
      'Content-Transfer-Encoding',
    ]);
    expect(Math.max(...sent.split('\r\n').map((line) => line.length))).toBeLessThan(90);
    expect(bodyOf(sent)).toBe('x'.repeat(500));
  });
});
