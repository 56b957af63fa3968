import { readFileSync } from 'node:fs';
import { fillTemplate, templatesIn } from '../../../platform/fill-template.ts';
import { packageFile } from '../../../platform/package-folder.ts';

const template = templatesIn('src/channels/pages/shell/templates');
const PROGRAM = packageFile('dist/assets/shell-program.js');

const bootstrapCommon = template('bootstrap-common.sh');
const bootstrapInitiator = template('bootstrap-initiator.sh');
const bootstrapJoiner = template('bootstrap-joiner.sh');
const bootstrapSteps = template('bootstrap-steps.sh').trimEnd();
const helpers = template('helpers.sh');
const loop = template('loop.sh');
const loopFunctions = template('loop-functions.sh').trimEnd();
const installer = template('skill-installer.sh');

// Everything put into shell text stands inside single quotes and was checked to be nothing but this.
const BASE = /^https?:\/\/[A-Za-z0-9.:[\]-]+(?:\/[A-Za-z0-9._~/-]*)?$/;
const HEX = /^[0-9A-Fa-f]+$/;

export class UnsafeScriptValueError extends Error {
  override readonly name = 'UnsafeScriptValueError';
}

/** `GET /helpers.sh`: definitions only; also the second part of every session file. */
export function helpersScript(_values: { base: string }): string {
  return helpersText();
}

/** `GET /loop.sh` */
export function loopScript({ base }: { base: string }): string {
  return fillTemplate(loop, { BASE: safeBase(base), LOOP_FUNCTIONS: loopFunctions });
}

/** `GET /bootstrap.sh` */
export function initiatorBootstrap({ base }: { base: string }): string {
  return fillTemplate(bootstrapInitiator, bootstrapParts(base));
}

/** `GET /c/:id/bootstrap.sh` */
export function joinerBootstrap(values: { base: string; channelId: string; token: string }): string {
  return fillTemplate(bootstrapJoiner, {
    ...bootstrapParts(values.base),
    CHANNEL: safeHex(values.channelId),
    TOKEN: safeHex(values.token),
  });
}

/** `GET /skill.sh` */
export function skillInstaller({ base }: { base: string }): string {
  return fillTemplate(installer, { BASE: safeBase(base) });
}

function bootstrapParts(base: string): { BASE: string; COMMON: string; STEPS: string } {
  const places = { BASE: safeBase(base) };
  return { ...places, COMMON: commonText(), STEPS: fillTemplate(bootstrapSteps, places) };
}

let cachedHelpers: string | undefined;
let cachedCommon: string | undefined;

function helpersText(): string {
  // Read on first use: the bundle is made after the sources are compiled.
  cachedHelpers ??= fillTemplate(helpers, { PROGRAM: readFileSync(PROGRAM, 'utf8').trimEnd() });
  return cachedHelpers;
}

function commonText(): string {
  cachedCommon ??= fillTemplate(bootstrapCommon, {
    HELPERS: helpersText().trimEnd(),
    LOOP_FUNCTIONS: loopFunctions,
  }).trimEnd();
  return cachedCommon;
}

function safeBase(base: string): string {
  if (!BASE.test(base)) throw new UnsafeScriptValueError('the base URL cannot stand in a script');
  return base;
}

function safeHex(text: string): string {
  if (!HEX.test(text)) throw new UnsafeScriptValueError('channel id and token must be hexadecimal');
  return text;
}
