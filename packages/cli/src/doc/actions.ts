import { isObject } from '@parley/protocol/json';
import * as routes from '@parley/protocol/knowledge/routes';
import type { DocumentAnswer, WriteAnswer } from '@parley/protocol/knowledge/answers';
import { CliError, EXIT } from '../cli-error.ts';
import { givenText, jsonFrom, type TextOptions } from '../given-text.ts';
import { harmless } from '../harmless.ts';
import type { Page } from '../memory/page.ts';
import { type MemoryCommandOptions, shown, withCaller } from '../memory/server-memory.ts';
import { printJsonText, printLine } from '../output.ts';

export interface WriteOptions extends MemoryCommandOptions, TextOptions {
  message?: string | undefined;
}

export async function write(path: string, text: string | undefined, options: WriteOptions): Promise<void> {
  const content = await givenText(text, options, 'text');
  const isPiped = (text ?? options.file ?? '-') === '-';
  if (content === '' && isPiped) throw NOTHING_TO_WRITE;
  const body = { path, content, commit_message: options.message };
  await withCaller(options, (caller) =>
    shown<WriteAnswer>(caller, routes.write, { body }, options, showWritten),
  );
}

/** Whoever leaves the text out, where nobody types, must not lose what is there. */
const NOTHING_TO_WRITE = new CliError('missing_input', 'parley: there is no text on standard input', {
  exitCode: EXIT.misuse,
  hint: `give '' as the text to empty the document`,
});

export async function append(path: string, given: string | undefined, options: WriteOptions): Promise<void> {
  const example = '{"did":"asked sam"}';
  const record = jsonFrom(await givenText(given, options, 'record'), 'record', example);
  if (!isObject(record)) {
    throw new CliError('invalid_record', 'parley: a record is a JSON object', {
      exitCode: EXIT.misuse,
      hint: `give it as ${example}`,
    });
  }
  const body = { path, record, commit_message: options.message };
  await withCaller(options, (caller) =>
    shown<WriteAnswer>(caller, routes.append, { body }, options, showWritten),
  );
}

function showWritten(page: Page, { path, committed }: WriteAnswer): void {
  page.line([{ text: committed ? `stored ${path}` : `${path} said that already` }]);
}

/** A program gets the text to the last byte; a terminal gets it made harmless. */
export async function read(path: string, options: MemoryCommandOptions): Promise<void> {
  await withCaller(options, async (caller) => {
    const text = await caller.text(routes.read, { query: { path } });
    if (options.json) return printJsonText(text);
    // An answer of this route.
    const { content } = JSON.parse(text) as DocumentAnswer;
    if (process.stdout.isTTY) printLine(harmless(content).replace(/\n$/, ''));
    else process.stdout.write(content);
  });
}
