import { readFileSync } from 'node:fs';
import { MAX_MESSAGE_BYTES, MAX_WAIT_SECONDS } from '@parley/protocol/delivery/limits';
import { SESSION_LIFETIME_MS } from '@parley/protocol/identity/credentials';
import * as limits from '@parley/protocol/rooms/limits';
import { fillTemplate } from '../../platform/fill-template.ts';
import { callTable, errorTable, unsupportedList } from './tables.ts';
import { packageFile } from '../../platform/package-folder.ts';
import { DAY, HOUR } from '../../platform/units.ts';

// The compiler does not copy these files.
const TEMPLATES = packageFile('src/rooms/skill/');

const BASE_PLACE = '{{BASE}}';

const VALUES = {
  BASE: BASE_PLACE,
  ENDPOINTS: callTable(),
  ERRORS: errorTable(),
  UNSUPPORTED: unsupportedList(),
  SESSION_DAYS: String(SESSION_LIFETIME_MS / DAY),
  MAX_TURNS: String(limits.DEFAULT_MAX_TURNS),
  TTL_SECONDS: String(limits.DEFAULT_TTL_SECONDS),
  CODE_HOURS: String(limits.HUMAN_CODE_MS / HOUR),
  MESSAGE_CHARS: String(limits.MAX_MESSAGE_CHARS),
  TOKEN_MINUTES: String(limits.ROOM_TOKEN_MS / 60_000),
  TYPING_SECONDS: String(limits.MAX_TYPING_MS / 1000),
  TERMINAL_MINUTES: String(limits.TERMINAL_WINDOW_MS / 60_000),
  DELIVERY_MINUTES: String(limits.DELIVERY_LIFE_MS / 60_000),
  WEBHOOKS: String(limits.MAX_WEBHOOKS),
  MIN_AGENTS: String(limits.MIN_AGENTS),
  MAX_AGENTS: String(limits.MAX_AGENTS),
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
  cues: page('cues'),
  memory: page('memory'),
  channels: page('channels'),
};
