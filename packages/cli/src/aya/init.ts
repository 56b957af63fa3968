import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { isObject, type JsonObject } from '@parley/protocol/json';
import { DEFAULTS, readConfig } from '../bridge/kept/config.ts';
import { abbreviated, makeFolders, placesIn } from '../bridge/kept/places.ts';
import { readJsonObject, writePrivateJson } from '../bridge/kept/private-json.ts';
import { printJson } from '../output.ts';
import { type ConfigOptions, homeOf } from './options.ts';
import { ask, askSecret } from './prompt.ts';
import { note } from './notes.ts';

export interface InitOptions extends ConfigOptions {
  readonly ayaApiBaseUrl?: string;
  readonly openclawHookUrl?: string;
  readonly openclawHookToken?: string;
  readonly openclawAgentId?: string;
  readonly generateHookToken?: true;
  readonly nonInteractive?: true;
  readonly force?: true;
}

interface Answers {
  readonly server: string;
  readonly hookUrl: string;
  readonly hookToken: string;
  readonly agentId: string;
}

export async function init(options: InitOptions): Promise<void> {
  const home = homeOf(options);
  const path = placesIn(home).config;
  if (existsSync(path) && !options.force) {
    printJson({ ok: true, config_path: path, reused: true });
    return;
  }
  const before = readJsonObject(path) ?? {};
  const answers = await answersFor(options, before);
  const config = written(before, home, answers, options);
  const { places, hook } = readConfig(config, home, options);
  makeFolders({ ...places, base: home });
  makeFolders(places);
  writePrivateJson(path, config);
  printJson({ ok: true, config_path: path });
  if (hook.token === undefined) {
    note('there is no hook token yet, and without one the runtime cannot be woken: set openclaw.hook_token');
  }
}

/** From the command line, else as before, else as usual; a person is asked. */
async function answersFor(options: InitOptions, before: JsonObject): Promise<Answers> {
  const aya = section(before, 'aya');
  const openclaw = section(before, 'openclaw');
  const generated = options.generateHookToken ? randomBytes(32).toString('hex') : undefined;
  const known: Answers = {
    server: options.ayaApiBaseUrl ?? text(aya['api_base_url'], DEFAULTS.apiBaseUrl),
    hookUrl: options.openclawHookUrl ?? text(openclaw['hook_url'], DEFAULTS.hookUrl),
    hookToken: options.openclawHookToken ?? generated ?? text(openclaw['hook_token'], ''),
    agentId: options.openclawAgentId ?? text(openclaw['agent_id'], DEFAULTS.agentId),
  };
  if (options.nonInteractive || !process.stdin.isTTY) return known;
  return {
    server: options.ayaApiBaseUrl ?? (await ask('URL of the Parley server', known.server)),
    hookUrl: options.openclawHookUrl ?? (await ask("URL of the runtime's hook", known.hookUrl)),
    hookToken: known.hookToken || (await askSecret("The runtime's hook token (not its gateway token)")),
    agentId: options.openclawAgentId ?? (await ask("The runtime's name for the agent", known.agentId)),
  };
}

/** Keys that this version does not know stay. */
function written(before: JsonObject, home: string, answers: Answers, options: InitOptions): JsonObject {
  const aya = section(before, 'aya');
  const { base, tokens, queue, logs } = placesIn(home);
  return {
    ...before,
    aya: {
      token_refresh_threshold_seconds: 60,
      wake_retry_interval_ms: 5000,
      ...aya,
      api_base_url: answers.server.replace(/\/+$/, ''),
      reconnect: {
        base_delay_ms: 1000,
        max_delay_ms: 10_000,
        jitter_ms: 250,
        ...section(aya, 'reconnect'),
      },
      ...(options.insecure && { allow_insecure: true }),
    },
    openclaw: {
      ...section(before, 'openclaw'),
      hook_url: answers.hookUrl,
      hook_token: answers.hookToken,
      agent_id: answers.agentId,
      ...(options.allowRemoteHook && { allow_remote_hook: true }),
    },
    storage: {
      base_dir: abbreviated(base),
      token_dir: abbreviated(tokens),
      wake_queue_dir: abbreviated(queue),
      log_dir: abbreviated(logs),
      ...section(before, 'storage'),
    },
  };
}

function section(parent: JsonObject, key: string): JsonObject {
  const value = parent[key];
  return isObject(value) ? value : {};
}

const text = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value : otherwise;
