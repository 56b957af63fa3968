import * as routes from '@parley/protocol/continuity/routes';
import { isStructured, PATCH_TARGETS, type PatchTarget } from '@parley/protocol/continuity/patch-targets';
import type {
  PatchAnswer,
  ReadAnswer,
  RehearsalAnswer,
  RestoreAnswer,
  UpsertAnswer,
} from '@parley/protocol/continuity/answers';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import { isObject } from '@parley/protocol/json';
import type { RouteDeclaration } from '@parley/protocol/route';
import { MemoryError } from '@parley/sdk/memory/memory-error';
import type { RouteCaller } from '@parley/sdk/route-caller';
import { CliError, EXIT } from '../cli-error.ts';
import { givenText, jsonFrom, type TextOptions } from '../given-text.ts';
import type { Page } from './page.ts';
import { type MemoryCommandOptions, peerIdOf, shown, withCaller } from './server-memory.ts';
import { onlySubject, spelled, stateFrom, type Subject } from './subject.ts';
import { nameOf } from './words.ts';

type Written = UpsertAnswer | PatchAnswer | RestoreAnswer | RehearsalAnswer;

interface WriteOptions extends MemoryCommandOptions, TextOptions {
  message?: string | undefined;
  dryRun?: boolean | undefined;
}

const CAPSULE = '{"continuity":{…},"confidence":{…}}, as "parley memory show --json" has it under "capsule"';

/** A capsule, or a whole request with one in it. What nobody needs to type is filled in: subject, times, who writes. */
export async function write(
  words: readonly string[],
  options: WriteOptions & { merge?: boolean | undefined; key?: string | undefined },
): Promise<void> {
  const subject = onlySubject(words);
  const given = objectFrom(await givenText(undefined, options, 'capsule'), 'capsule', CAPSULE);
  const request = isObject(given['capsule']) ? given : { capsule: given };
  await withCaller(options, async (caller) => {
    const now = await laterThanStored(caller, subject);
    const capsule = {
      ...subject,
      updated_at: now,
      verified_at: now,
      source: { producer: await peerIdOf(caller), update_reason: 'manual' },
      ...recordOf(request['capsule']),
    };
    const body = {
      ...request,
      ...subject,
      capsule,
      ...(options.merge && { merge_mode: 'preserve' }),
      ...(options.key !== undefined && { idempotency_key: options.key }),
      ...shared(options),
    };
    await send(caller, routes.upsert, body, subject, options);
  });
}

export interface PatchOptions extends WriteOptions {
  append?: string[] | undefined;
  remove?: string[] | undefined;
}

const OPERATIONS = '[{"target":"continuity.open_loops","action":"append","value":"…"}]';

/** Removals come first, so that what is added finds room. */
export async function patch(words: readonly string[], options: PatchOptions): Promise<void> {
  const subject = onlySubject(words);
  const said = [
    ...(options.remove ?? []).map((each) => removal(each)),
    ...(options.append ?? []).map((each) => addition(each)),
  ];
  const operations = said.length > 0 ? said : await givenOperations(options);
  await withCaller(options, async (caller) => {
    const at = await laterThanStored(caller, subject);
    const body = { ...subject, updated_at: at, operations, ...shared(options) };
    await send(caller, routes.patch, body, subject, options);
  });
}

async function givenOperations(options: PatchOptions): Promise<unknown> {
  const value = jsonFrom(
    await givenText(undefined, options, 'list of changes'),
    'list of changes',
    OPERATIONS,
  );
  return isObject(value) && 'operations' in value ? value['operations'] : value;
}

const removal = (text: string): object => {
  const { target, rest } = split(text);
  return { target, action: 'remove', match: rest };
};

const addition = (text: string): object => {
  const { target, rest } = split(text);
  const value = isStructured(target) ? objectFrom(rest, `entry of ${target}`, '{"tag":"…",…}') : rest;
  return { target, action: 'append', value };
};

/** `open_loops=ask sam`; the place before the name may be left out. */
function split(text: string): { target: PatchTarget; rest: string } {
  const equals = text.indexOf('=');
  const name = text.slice(0, Math.max(equals, 0));
  const target = PATCH_TARGETS.find((each) => each === name || each.endsWith(`.${name}`));
  if (target !== undefined && name !== '') return { target, rest: text.slice(equals + 1) };
  throw new CliError('invalid_change', `parley: ${JSON.stringify(text)} names no list of a capsule`, {
    exitCode: EXIT.misuse,
    hint: `say NAME=TEXT, where NAME is one of ${PATCH_TARGETS.map((each) => each.split('.').at(-1)).join(', ')}`,
  });
}

export async function restore(
  words: readonly string[],
  options: MemoryCommandOptions & { from: string; reason: string },
): Promise<void> {
  const subject = onlySubject(words);
  const { from, reason } = options;
  await withCaller(options, async (caller) => {
    const at = await laterThanStored(caller, subject);
    const body = { ...subject, from: stateFrom(from), updated_at: at, reason };
    await send(caller, routes.restore, body, subject, options);
  });
}

const shared = ({ message, dryRun }: WriteOptions): object => ({
  ...(message !== undefined && { commit_message: message }),
  ...(dryRun && { dry_run: true }),
});

async function send(
  caller: RouteCaller,
  route: RouteDeclaration,
  body: object,
  subject: Subject,
  options: MemoryCommandOptions,
): Promise<void> {
  await shown<Written>(caller, route, { body }, options, (page, answer) =>
    showWritten(page, subject, answer),
  );
}

function showWritten(page: Page, subject: Subject, answer: Written): void {
  page.line([{ text: `${howItWent(answer)} ${spelled(subject)}` }]);
  if ('changed_fields' in answer && answer.changed_fields.length > 0) {
    page.text({ text: answer.changed_fields.map(nameOf).join(', ') }, 2);
  }
  const tidied = 'normalizations_applied' in answer ? answer.normalizations_applied : [];
  for (const each of tidied) page.item('-', { text: `tidied: ${each}` });
  for (const warning of [...answer.recovery_warnings, ...(answer.notices ?? [])]) {
    page.item('!', { text: nameOf(warning), style: 'yellow' });
  }
}

function howItWent(answer: Written): string {
  if ('dry_run' in answer) return answer.would_change ? 'would change' : 'would leave as it is';
  if ('created' in answer && answer.created) return 'created';
  return answer.updated ? 'updated' : 'left as it was';
}

function objectFrom(text: string, what: string, example: string): Record<string, unknown> {
  const value = jsonFrom(text, what, example);
  if (isObject(value)) return value;
  throw new CliError('invalid_json', `parley: the ${what} is no JSON object`, {
    exitCode: EXIT.misuse,
    hint: `give it as ${example}`,
  });
}

const recordOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** Now, or a second after what is stored: two commands of one second would else be a conflict. */
async function laterThanStored(caller: RouteCaller, subject: Subject): Promise<string> {
  const body = { ...subject, allow_fallback: true };
  const { capsule } = await caller.call(routes.read, { body }).catch(unread);
  const stored = capsule ? Date.parse(capsule.updated_at) + 1000 : 0;
  return isoSeconds(Math.max(Date.now(), stored));
}

/** What cannot be read decides nothing; the write itself is refused where it has to be. */
function unread(error: unknown): Pick<ReadAnswer, 'capsule'> {
  if (error instanceof MemoryError) return { capsule: null };
  throw error;
}
