import { isObject, type JsonObject } from '@parley/protocol/json';
import { DEFAULT_SERVER } from '../../default-server.ts';
import { wrongConfiguration } from '../failures.ts';
import { type Places, placesIn } from './places.ts';
import { readJsonObject } from './private-json.ts';

export interface BridgeConfig {
  readonly apiBaseUrl: string;
  /** A room token with at most this left is renewed before use. */
  readonly tokenThresholdMs: number;
  readonly reconnect: {
    readonly baseDelayMs: number;
    readonly maxDelayMs: number;
    readonly jitterMs: number;
  };
  readonly wakeRetryMs: number;
  readonly hook: HookConfig;
  readonly places: Places;
}

export interface HookConfig {
  readonly url: URL;
  /** Without one nobody can be woken. */
  readonly token: string | undefined;
  /** The runtime's own name for the agent. */
  readonly agentId: string;
  /** How long one run of the runtime may take. */
  readonly timeoutSeconds: number;
}

/** What a person allowed on the command line; the configuration may allow it, too. */
export interface Allowances {
  readonly insecure?: boolean | undefined;
  readonly allowRemoteHook?: boolean | undefined;
}

export const DEFAULTS = {
  apiBaseUrl: DEFAULT_SERVER,
  hookUrl: 'http://127.0.0.1:18789/hooks/agent',
  agentId: 'main',
} as const;

const LOOPBACK = /^(?:localhost|(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export function requireConfig(home: string, allowed: Allowances = {}): BridgeConfig {
  const raw = readJsonObject(placesIn(home).config);
  if (raw) return readConfig(raw, home, allowed);
  throw wrongConfiguration(`there is no ${placesIn(home).config}`, 'make one: aya init');
}

export function readConfig(raw: JsonObject, home: string, allowed: Allowances = {}): BridgeConfig {
  const aya = new Section(raw, 'aya');
  const openclaw = new Section(raw, 'openclaw');
  const storage = new Section(raw, 'storage');
  const reconnect = aya.section('reconnect');
  return {
    apiBaseUrl: checkedServerUrl(
      'aya.api_base_url',
      aya.text('api_base_url') ?? DEFAULTS.apiBaseUrl,
      allowed.insecure === true || aya.flag('allow_insecure'),
    ),
    tokenThresholdMs: aya.count('token_refresh_threshold_seconds', 60) * 1000,
    reconnect: {
      baseDelayMs: reconnect.count('base_delay_ms', 1000),
      maxDelayMs: reconnect.count('max_delay_ms', 10_000),
      jitterMs: reconnect.count('jitter_ms', 250),
    },
    wakeRetryMs: Math.max(1, aya.count('wake_retry_interval_ms', 5000)),
    hook: {
      url: hookUrl(
        'openclaw.hook_url',
        openclaw.text('hook_url') ?? DEFAULTS.hookUrl,
        allowed.allowRemoteHook === true || openclaw.flag('allow_remote_hook'),
      ),
      token: openclaw.text('hook_token'),
      agentId: openclaw.text('agent_id') ?? DEFAULTS.agentId,
      timeoutSeconds: Math.max(1, openclaw.count('timeout_seconds', 120)),
    },
    places: placesIn(home, {
      base: storage.text('base_dir'),
      tokens: storage.text('token_dir'),
      queue: storage.text('wake_queue_dir'),
      logs: storage.text('log_dir'),
    }),
  };
}

/** Keys and tokens travel to it: in the clear only within this machine. */
export function checkedServerUrl(key: string, text: string, insecure: boolean): string {
  const url = httpUrl(text, key);
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname) && !insecure) {
    throw wrongConfiguration(
      `${key} ${text} would carry the key unencrypted`,
      'use https, or allow it with --insecure',
    );
  }
  if (url.search || url.hash) throw wrongConfiguration(`${key} ${text} has more than a path`);
  return url.href.replace(/\/+$/, '');
}

/** Whoever may change the hook's host could read along with every wake. */
export function hookUrl(key: string, text: string, remote: boolean): URL {
  const url = httpUrl(text, key);
  if (LOOPBACK.test(url.hostname) || remote) return url;
  throw wrongConfiguration(
    `${key} ${text} is not on this machine`,
    'use a loopback address, or allow it with --allow-remote-hook',
  );
}

function httpUrl(text: string, key: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw wrongConfiguration(`${key} ${JSON.stringify(text)} is not an http or https URL`);
  }
  return url;
}

/** One object of the configuration. A key that is missing has its default; one of the wrong kind is told. */
class Section {
  readonly #values: JsonObject;
  readonly #name: string;

  constructor(parent: JsonObject, name: string, path = name) {
    const value = parent[name] ?? {};
    if (!isObject(value)) throw wrongConfiguration(`${path} in the configuration is not an object`);
    this.#values = value;
    this.#name = path;
  }

  section(key: string): Section {
    return new Section(this.#values, key, `${this.#name}.${key}`);
  }

  /** Undefined also when it is empty. */
  text(key: string): string | undefined {
    const value = this.#values[key] ?? '';
    if (typeof value === 'string') return value.trim() || undefined;
    throw wrongConfiguration(`${this.#name}.${key} in the configuration is not a text`);
  }

  count(key: string, otherwise: number): number {
    const value = this.#values[key] ?? otherwise;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw wrongConfiguration(`${this.#name}.${key} in the configuration is not a whole number from 0`);
  }

  flag(key: string): boolean {
    return this.#values[key] === true;
  }
}
