import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CliError } from './cli-error.ts';
import { Page } from './memory/page.ts';
import { terminalOf } from './memory/terminal.ts';
import { printPage, type Reporting, reportFailure } from './output.ts';

let [told, printed] = ['', ''];
beforeEach(() => {
  [told, printed] = ['', ''];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((told += String(text))));
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((printed += String(text))));
});
afterEach(() => vi.restoreAllMocks());

function report(error: unknown, reporting: Partial<Reporting> = {}): string {
  told = '';
  const code = reportFailure(error, { json: false, ...reporting });
  return `${code}|${told}`;
}

const refused = (message: string, hint?: string): CliError => new CliError('x', message, { hint });

describe('a failure', () => {
  test.each([
    ['invalid_time', undefined, 2, '"parley doc read --help" shows how, with examples'],
    ['x', 404, 3, '"parley doc read --help" shows what there is'],
    ['x', 403, 4, expect.stringMatching(/^"parley login" or .* gets one; --stdin/)],
    ['x', 409, 5, 'try again when that has changed'],
    ['x', 504, 6, '"parley doctor" checks the set-up; --debug shows where it failed'],
    ['unreachable', undefined, 7, expect.stringMatching(/^is the server running\? "parley serve"/)],
    ['x', 500, 1, '"parley doctor" checks the set-up; --debug shows where it failed'],
  ])('%s with status %s ends with %i and says what to do', (code, status, exit, hint) => {
    const error = new CliError(code, 'parley: no', { details: status === undefined ? {} : { status } });
    expect(reportFailure(error, { json: true, command: 'parley doc read' })).toBe(exit);
    expect(JSON.parse(told)).toEqual({
      error: code,
      message: 'no',
      ...(status !== undefined && { status }),
      hint,
    });
  });

  test('names what lists the things it is about, else the whole program', () => {
    const gone = new CliError('not_found', 'parley: none', { exitCode: 3 });
    expect(report(gone, { command: 'parley doc read', lists: 'parley doc list' })).toBe(
      '3|parley: none\nparley: "parley doc list" shows what there is\n',
    );
    expect(report(gone)).toBe('3|parley: none\nparley: "parley --help" shows what there is\n');
  });

  test('is one line and its hint, of its own or behind the last semicolon, with one "parley:" before each', () => {
    expect(report(refused('parley: a; b; c'))).toBe('1|parley: a; b\nparley: c\n');
    expect(report(refused('parley: a; b', 'c'))).toBe('1|parley: a; b\nparley: c\n');
    expect(report(refused('a\nb', 'c\nd'))).toBe('1|parley: a b\nparley: c d\n');
    expect(report(refused('agentalk: SEND_FAILED error=x', 'c'))).toBe(
      '1|agentalk: SEND_FAILED error=x\nparley: c\n',
    );
  });

  test('that nobody foresaw says what it was, and with --debug where and why', () => {
    const error = new Error('boom', { cause: new Error('wire', { cause: 'cut' }) });
    expect(report(error)).toMatch(/^1\|parley: boom\nparley: "parley doctor" [^\n]*\n$/);
    expect(report('thrown', { json: true })).toMatch(
      /^1\|\{"error":"failed","message":"thrown","hint":.*\}\n$/,
    );
    expect(report(error, { debug: true })).toMatch(
      /\nError: boom\n[^]*\ncaused by Error: wire\n[^]*\ncaused by cut\n$/,
    );
    expect(report('thrown', { debug: true })).toMatch(/\nthrown\n$/);
    error.stack = undefined as unknown as string;
    expect(report(error, { debug: true })).toMatch(/\nboom\ncaused by /);
  });
});

test('a page without rows prints no empty line, and in a pipe its asides go to standard error', () => {
  const pages = [false, true].map((isTTY) => new Page(terminalOf({ columns: 80, isTTY }, { NO_COLOR: '1' })));
  for (const page of pages) {
    page.aside('None.');
    printPage(page);
  }
  expect([printed, told]).toEqual(['None.\n', 'parley: None.\n']);
});
