import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Clock } from '../clock.ts';
import { environmentOf } from '../environment.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface MailerOptions {
  /** Takes a mail on its standard input and reads from its head whom it is for. */
  readonly program: string;
  /** Left to the program when there is none. */
  readonly from: string | undefined;
  readonly clock: Clock;
}

/** Read the recipients from the head, and do not take a line with one dot for the end. */
const AS_SENDMAIL = ['-t', '-i'];
/** Nothing of ours goes along: the environment of the server holds secrets. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR'];
const PATIENCE_MS = 30_000;
const MAX_TOLD = 500;

export type Mailer = ReturnType<typeof createMailer>;

/** Hands mails to a program of the machine, which knows how they leave it. Never through a shell. */
export const createMailer = ({ program, from, clock }: MailerOptions) => ({
  /** Resolves when the program has taken it. */
  async send(mail: Mail): Promise<void> {
    const child = spawn(program, AS_SENDMAIL, {
      env: environmentOf(PASSED_ON),
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let told = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      told = (told + chunk).slice(0, MAX_TOLD);
    });
    // One that ends without reading says why by its exit code.
    child.stdin.on('error', () => {});
    child.stdin.end(written(mail, from));
    const patience = clock.after(PATIENCE_MS, () => child.kill('SIGKILL'));
    try {
      const [code] = (await once(child, 'close')) as [number | null];
      if (code !== 0) throw new Error(`the mail program ended with ${code ?? 'a signal'}: ${told.trim()}`);
    } finally {
      patience.cancel();
    }
  },
});

/** A mail as it is sent. No value of a head can begin a second one. */
export function written({ to, subject, text }: Mail, from: string | undefined): string {
  const body = Buffer.from(text)
    .toString('base64')
    .replaceAll(/.{76}(?=.)/g, '$&\r\n');
  return [
    ...(from === undefined ? [] : [`From: ${oneLine(from)}`]),
    `To: <${oneLine(to).replaceAll(/[<>,;\s]/g, '')}>`,
    `Subject: ${encodedWords(subject)}`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    body,
    '',
  ].join('\r\n');
}

const oneLine = (value: string): string => value.replaceAll(/\p{Cc}+/gu, ' ').trim();

/** A word of a head has at most 75 characters; characters are not cut. */
const WORD_CHARS = 10;

function encodedWords(value: string): string {
  const line = oneLine(value);
  if (/^[\x20-\x7e]{0,200}$/.test(line) && !line.includes('=?')) return line;
  const characters = Array.from(line);
  const words: string[] = [];
  for (let at = 0; at < characters.length; at += WORD_CHARS) {
    const part = characters.slice(at, at + WORD_CHARS).join('');
    words.push(`=?utf-8?B?${Buffer.from(part).toString('base64')}?=`);
  }
  return words.join('\r\n ');
}
