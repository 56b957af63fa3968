import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isObject } from '@parley/protocol/json';
import { FOREIGN_VARIABLES } from './foreign-variables.ts';
import { nearest } from '@parley/protocol/nearest';
import type { Setting } from './setting.ts';
import {
  type Config,
  fileKey,
  flagName,
  SETTING_NAMES,
  type SettingName,
  SETTINGS,
  variableName,
  variableNames,
} from './settings.ts';
import { importSources } from './import-sources.ts';
import { bearerToken } from '../platform/auth/bearer.ts';
import { parseMasterKey } from '../platform/auth/master-key.ts';
import { TrustedProxies } from '../platform/http/client-address.ts';
import { checkPublicUrl } from '../platform/http/public-base.ts';
import { CallbackAllow } from '../platform/outbound/callback-allow.ts';
import { parseRedisUrl } from '../platform/redis/redis-url.ts';

/** Where a value came from, in order of precedence. */
export type SetBy = 'flag' | 'environment' | 'file' | 'default';

export interface LoadedConfig {
  readonly config: Config;
  readonly origins: Readonly<Record<SettingName, SetBy>>;
}

export interface ConfigSources {
  /** Flags as given: `{ 'port': '8080' }` for `--port 8080`. */
  flags?: Readonly<Record<string, unknown>>;
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const DEFAULT_FILE = 'parley.json';

export function loadConfig({ flags = {}, env = {}, cwd = process.cwd() }: ConfigSources = {}): LoadedConfig {
  refuseUnknown(
    'flag',
    Object.keys(flags).filter((flag) => flag !== 'config'),
    SETTING_NAMES.map((name) => flagName(name).slice(2)),
    '--',
  );
  const variables = Object.keys(env).filter(
    (name) => name.startsWith('PARLEY_') && !FOREIGN_VARIABLES.has(name),
  );
  refuseUnknown('variable', variables, SETTING_NAMES.map(variableName), '');
  const named = flags.config ?? (env.PARLEY_CONFIG || undefined);
  const file = readFile(named, cwd);
  refuseUnknown('key in the configuration file', Object.keys(file), SETTING_NAMES.map(fileKey), '');
  if (named === undefined) refusePrograms(file);

  const config: Record<string, unknown> = {};
  const origins: Record<string, SetBy> = {};
  for (const name of SETTING_NAMES) {
    const { value, origin } = pick(name, flags, env, file);
    config[name] = value;
    origins[name] = origin;
  }
  // Every name of SETTINGS was filled with its own parser's result in the loop above.
  const loaded = { config: config as Config, origins: origins as Record<SettingName, SetBy> };
  try {
    checkValues(loaded.config);
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
  return loaded;
}

function pick(
  name: SettingName,
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
  file: Readonly<Record<string, unknown>>,
): { value: unknown; origin: SetBy } {
  const setting: Setting<unknown> = SETTINGS[name];
  const flag = flagName(name);
  const fromFlag = flags[flag.slice(2)];
  if (fromFlag !== undefined) return { value: parse(setting, fromFlag, flag), origin: 'flag' };
  for (const variable of variableNames(name)) {
    const raw = env[variable];
    if (raw !== undefined && raw !== '')
      return { value: parse(setting, raw, variable), origin: 'environment' };
  }
  const fromFile = file[fileKey(name)];
  if (fromFile !== undefined) return { value: parse(setting, fromFile, fileKey(name)), origin: 'file' };
  return { value: setting.fallback, origin: 'default' };
}

function parse(setting: Setting<unknown>, raw: unknown, label: string): unknown {
  try {
    return setting.parse(raw);
  } catch (error) {
    const shown = setting.secret ? 'the value given' : JSON.stringify(raw);
    throw new ConfigError(`${label}: ${(error as Error).message}, not ${shown}`);
  }
}

function readFile(given: unknown, cwd: string): Readonly<Record<string, unknown>> {
  if (given !== undefined && (typeof given !== 'string' || given === ''))
    throw new ConfigError('--config: expected the path of a file');
  const path = resolve(cwd, given ?? DEFAULT_FILE);
  if (!existsSync(path)) {
    if (given === undefined) return {};
    throw new ConfigError(`the configuration file ${path} does not exist`);
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`the configuration file ${path} is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(parsed)) throw new ConfigError(`the configuration file ${path} must hold a JSON object`);
  return parsed;
}

/** A folder that was cloned or unpacked may hold such a file; starting the server in it must not run what it names. */
function refusePrograms(found: Readonly<Record<string, unknown>>): void {
  for (const name of SETTING_NAMES) {
    if (!SETTINGS[name].program || found[fileKey(name)] === undefined) continue;
    throw new ConfigError(
      `${fileKey(name)} names a program, which a ${DEFAULT_FILE} found in the working folder may not; ` +
        `use ${flagName(name)} or ${variableName(name)}, or name the file with --config`,
    );
  }
}

function refuseUnknown(kind: string, given: string[], known: string[], prefix: string): void {
  for (const name of given) {
    if (known.includes(name)) continue;
    const guess = nearest(name, known);
    throw new ConfigError(
      `unknown ${kind} ${prefix}${name}${guess ? `; did you mean ${prefix}${guess}?` : ''}`,
    );
  }
}

const LEAST_TOKEN_LENGTH = 24;

/** Asks those who will use a value whether they can, so that a wrong one is told before anything is opened. */
function checkValues(config: Config): void {
  checkPublicUrl(config.publicUrl);
  void new TrustedProxies(config.trustedProxies);
  void new CallbackAllow(config.callbackAllow);
  if (config.secretKey !== undefined) parseMasterKey(config.secretKey);
  checkInternalToken(config.internalToken);
  checkDatabaseUrl('database_url', config.databaseUrl);
  checkDatabaseUrl('database_direct_url', config.databaseDirectUrl);
  if (config.redisUrl !== undefined) parseRedisUrl(config.redisUrl);
  importSources(config.memoryImport);
}

function checkDatabaseUrl(name: string, url: string | undefined): void {
  if (url === undefined || (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url))) return;
  throw new Error(`${name}: expected postgres://…, the URL of a PostgreSQL database`);
}

/** Refuses a token that could be guessed. */
function checkInternalToken(token: string | undefined): void {
  if (token === undefined || (token.length >= LEAST_TOKEN_LENGTH && bearerToken(`Bearer ${token}`) === token))
    return;
  throw new Error(
    `internal_token: expected at least ${LEAST_TOKEN_LENGTH} characters of A-Z, a-z, 0-9, -, ., _, ~, + and /`,
  );
}
