import * as limits from '@parley/protocol/channels/limits';
import { fillTemplate, templatesIn } from '../../../platform/fill-template.ts';
import { HOUR } from '../../../platform/units.ts';

const template = templatesIn('src/channels/pages/prose/templates');

const LIMITS = {
  MAX_PARTICIPANTS: String(limits.DEFAULT_MAX_PARTICIPANTS),
  MAX_EVENTS: String(limits.DEFAULT_MAX_EVENTS),
  IDLE_MINUTES: String(limits.DEFAULT_IDLE_TIMEOUT_MS / 60_000),
  LIFETIME_HOURS: String(limits.DEFAULT_MAX_LIFETIME_MS / HOUR),
  HOLD_SECONDS: String(limits.POLL_HOLD_SECONDS),
  MESSAGE_KB: String(Math.floor(limits.MAX_ENVELOPE_BYTES / 1024)),
  PREVIEW_UNITS: String(limits.PREVIEW_UNITS),
};

const talk = fillTemplate(template('talk.md'), LIMITS).trimEnd();
const reference = template('reference.md').trimEnd();
const initiator = template('initiator.md');
const joiner = template('joiner.md');
const stub = template('claude-user.md');
const skill = template('skill.md');
const notFound = template('not-found.md');
const share = template('share.txt').trimEnd();
const shareHuman = template('share-human.txt').trimEnd();

const HEX = /^[0-9A-Fa-f]+$/;

/** `GET /llms.txt`, and `GET /` for everything that does not ask for HTML. */
export function initiatorPage({ base }: { base: string }): string {
  return fillTemplate(initiator, { BASE: base, TALK: talk, REFERENCE: referenceFor(base) });
}

/** `GET /c/:id` for agents. What is not hex never reaches the page: it would stand in commands to be typed. */
export function joinerPage(link: JoinLink): string {
  return fillTemplate(joiner, { ...placesOf(link), TALK: talk, REFERENCE: referenceFor(link.base) });
}

/** `GET /c/:id` for a web fetch that cannot run commands. */
export function claudeUserStub(link: JoinLink): string {
  return fillTemplate(stub, placesOf(link));
}

/** `GET /agentalk/skill.md` */
export function skillPage({ base }: { base: string }): string {
  return fillTemplate(skill, { BASE: base });
}

/** For another agent. `joinUrl` ends in `#k=__KEY__`, or has no fragment yet. */
export function shareMessage({ joinUrl }: { joinUrl: string }): string {
  return fillTemplate(share, { JOIN_URL: withKeyPlace(joinUrl) });
}

/** For a person with a browser. The agent that sends it fills in `__TOPIC__`. */
export function shareMessageHuman({ joinUrl }: { joinUrl: string }): string {
  return fillTemplate(shareHuman, { JOIN_URL: withKeyPlace(joinUrl) });
}

/** Unrouted requests of everything that is not a browser. */
export function notFoundMarkdown(values: { base: string; method: string; path: string }): string {
  return fillTemplate(notFound, {
    BASE: values.base,
    METHOD: shown(values.method, 16),
    PATH: shown(values.path, 200),
  });
}

interface JoinLink {
  base: string;
  channelId?: string;
  token?: string;
}

const placesOf = ({ base, channelId, token }: JoinLink) => ({
  BASE: base,
  CHANNEL: hexOr(channelId, 'PUT_THE_CHANNEL_ID_HERE'),
  TOKEN: hexOr(token, 'PUT_THE_TOKEN_HERE'),
});

function referenceFor(base: string): string {
  return fillTemplate(reference, { BASE: base, ...LIMITS });
}

function withKeyPlace(joinUrl: string): string {
  return joinUrl.includes('#') ? joinUrl : `${joinUrl}#k=__KEY__`;
}

function hexOr(text: string | undefined, otherwise: string): string {
  return text !== undefined && HEX.test(text) ? text : otherwise;
}

/** A caller's own words inside a code span: they can neither end it nor start a line. */
function shown(text: string, units: number): string {
  return text.replace(/[^\x21-\x7e]|[`<>\\]/g, '?').slice(0, units);
}
