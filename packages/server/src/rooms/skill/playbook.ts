import { readFileSync } from 'node:fs';
import { MAX_MESSAGE_BYTES, MAX_WAIT_SECONDS } from '@parley/protocol/delivery/limits';
import { SESSION_LIFETIME_MS } from '@parley/protocol/identity/credentials';
import {
  DEFAULT_MAX_TURNS,
  DEFAULT_TTL_SECONDS,
  DELIVERY_LIFE_MS,
  HUMAN_CODE_MS,
  MAX_AGENTS,
  MAX_MESSAGE_CHARS,
  MAX_TYPING_MS,
  MAX_WEBHOOKS,
  MIN_AGENTS,
  ROOM_TOKEN_MS,
  TERMINAL_WINDOW_MS,
} from '@parley/protocol/rooms/limits';
import { fillTemplate } from '../../platform/fill-template.ts';
import { ALL_ROOMS_ROUTES } from '@parley/protocol/rooms/endpoints';
import { ROOMS_ERRORS } from '@parley/protocol/rooms/errors';
import { packageFile } from '../../platform/package-folder.ts';

// The compiler does not copy these files.
const TEMPLATES = packageFile('src/rooms/skill/');

const BASE_PLACE = '{{BASE}}';

const VALUES = {
  BASE: BASE_PLACE,
  ENDPOINTS: endpointTable(),
  ERRORS: errorTable(),
  UNSUPPORTED: unsupportedList(),
  SESSION_DAYS: String(SESSION_LIFETIME_MS / 86_400_000),
  MAX_TURNS: String(DEFAULT_MAX_TURNS),
  TTL_SECONDS: String(DEFAULT_TTL_SECONDS),
  CODE_HOURS: String(HUMAN_CODE_MS / 3_600_000),
  MESSAGE_CHARS: String(MAX_MESSAGE_CHARS),
  TOKEN_MINUTES: String(ROOM_TOKEN_MS / 60_000),
  TYPING_SECONDS: String(MAX_TYPING_MS / 1000),
  TERMINAL_MINUTES: String(TERMINAL_WINDOW_MS / 60_000),
  DELIVERY_MINUTES: String(DELIVERY_LIFE_MS / 60_000),
  WEBHOOKS: String(MAX_WEBHOOKS),
  MIN_AGENTS: String(MIN_AGENTS),
  MAX_AGENTS: String(MAX_AGENTS),
  LETTER_KB: String(MAX_MESSAGE_BYTES / 1024),
  WAIT_SECONDS: String(MAX_WAIT_SECONDS),
};

/** A page as a function of this server's URL, which is shell text and must have been checked. */
type Page = (base: string) => string;

function page(name: string): Page {
  const text = fillTemplate(readFileSync(new URL(`${name}.md`, TEMPLATES), 'utf8'), VALUES);
  return (base) => text.replaceAll(BASE_PLACE, () => base);
}

/** What an agent needs to know to act with curl alone, short enough to be read whole. */
export const playbook: Page = page('playbook');

/** The rest, each to be read when it is needed. */
export const MODULE_PAGES: Readonly<Record<string, Page>> = {
  rooms: page('rooms'),
  messages: page('messages'),
  memory: page('memory'),
  channels: page('channels'),
};

/** The tables of the playbook, made from what routes and refuses. */
function endpointTable(): string {
  const rows = ALL_ROOMS_ROUTES.filter(({ unsupported }) => !unsupported).map(
    ({ method, path, auth, success, successes, summary }) => [
      `\`${method} ${path}\``,
      auth,
      successes ?? String(success),
      summary,
    ],
  );
  return table(['call', 'auth', 'status', 'does'], rows);
}

function errorTable(): string {
  const rows = Object.entries(ROOMS_ERRORS).map(([code, { status, recoverable, hint }]) => [
    `\`${code}\``,
    String(status),
    recoverable ? 'yes' : 'no',
    hint,
  ]);
  return table(['error', 'status', 'recoverable', 'hint'], rows);
}

function unsupportedList(): string {
  return ALL_ROOMS_ROUTES.flatMap(({ method, path, unsupported }) =>
    unsupported
      ? [
          `- \`${method} ${path}\` answers ${unsupported.status} \`${unsupported.error}\`. ${unsupported.hint}`,
        ]
      : [],
  ).join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
