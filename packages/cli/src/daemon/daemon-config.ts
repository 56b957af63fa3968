import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isObject, type JsonObject } from '@parley/protocol/json';
import { checkedServerUrl, hookUrl } from '../bridge/kept/config.ts';
import { wrongConfiguration } from '../bridge/failures.ts';
import { isFileId, readJsonObject, writePrivateJson } from '../bridge/kept/private-json.ts';

/** How the agent's program is started or told. */
export type Adapter =
  | {
      readonly type: 'command';
      readonly argv: readonly string[];
      readonly cwd?: string;
      /** What it reads on standard input: the wake as JSON, or as a prompt. */
      readonly input: 'json' | 'prompt';
    }
  | { readonly type: 'http-hook'; readonly url: string; readonly token: string; readonly agent_id: string }
  | { readonly type: 'file'; readonly folder: string }
  | { readonly type: 'tmux'; readonly pane: string }
  | { readonly type: 'stdout' }
  | { readonly type: 'mcp-channel' };

export interface AgentConfig {
  readonly name: string;
  readonly server: string;
  readonly adapter: Adapter;
  /** Who may start the agent: `same-owner`, `rooms`, `slug@owner`, `*@owner` or `*`. */
  readonly allow: readonly string[];
  readonly startsPerHour: number;
  readonly concurrency: number;
  readonly timeoutSeconds: number;
  /** Whether the agent is handed what it noted for its next start. */
  readonly startup: boolean;
}

export const ADAPTERS = ['command', 'http-hook', 'file', 'tmux', 'mcp-channel', 'stdout'] as const;

export function daemonHome(option: string | undefined, env: NodeJS.ProcessEnv): string {
  const state = env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  return resolve(option || env['PARLEY_BRIDGE_HOME'] || join(state, 'parley', 'bridge'));
}

export const configPath = (home: string): string => join(home, 'config.json');

export function readAgents(home: string): AgentConfig[] {
  const { agents } = readJsonObject(configPath(home)) ?? {};
  if (!isObject(agents) || Object.keys(agents).length === 0) {
    throw wrongConfiguration(
      `no agent is set up in ${configPath(home)}`,
      'set one up: parley bridge init --help',
    );
  }
  return Object.entries(agents).map(([name, raw]) => agentFrom(name, raw));
}

/** Throws when it cannot work. */
export function checkAgent(name: string, agent: JsonObject): void {
  agentFrom(name, agent);
}

/** Adds the agent or replaces it; others stay as they are. */
export function keepAgent(home: string, name: string, agent: JsonObject): void {
  const raw = readJsonObject(configPath(home)) ?? {};
  const agents = isObject(raw['agents']) ? raw['agents'] : {};
  writePrivateJson(configPath(home), { ...raw, agents: { ...agents, [name]: agent } });
}

function agentFrom(name: string, raw: unknown): AgentConfig {
  const wrong = (what: string): Error => wrongConfiguration(`agent ${JSON.stringify(name)}: ${what}`);
  // It becomes a folder.
  if (!isFileId(name)) throw wrong('the name may have letters, digits, - and _');
  if (!isObject(raw)) throw wrong('is not an object');
  const { server, adapter, allow = ['same-owner'] } = raw;
  if (typeof server !== 'string') throw wrong('server is not a URL');
  if (!isTexts(allow)) throw wrong('allow is not a list of texts');
  const count = (key: string, otherwise: number): number => {
    const value = raw[key] ?? otherwise;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
    throw wrong(`${key} is not a whole number from 1`);
  };
  return {
    name,
    server: checkedServerUrl(`agent ${name}: server`, server, raw['allow_insecure'] === true),
    adapter: adapterFrom(adapter, wrong),
    allow,
    startsPerHour: count('starts_per_hour', 30),
    concurrency: count('concurrency', 1),
    timeoutSeconds: count('timeout_seconds', 600),
    startup: raw['startup'] === true,
  };
}

function adapterFrom(raw: unknown, wrong: (what: string) => Error): Adapter {
  if (!isObject(raw)) throw wrong('adapter is not an object');
  const { type, argv, cwd, url, token, agent_id: agentId = 'main', folder, pane } = raw;
  if (type === 'stdout' || type === 'mcp-channel') return { type };
  if (type === 'command' && isTexts(argv) && argv.length > 0) {
    const input = raw['input'] === 'prompt' ? 'prompt' : 'json';
    return { type, argv, input, ...(typeof cwd === 'string' && { cwd }) };
  }
  if (type === 'file' && typeof folder === 'string' && folder !== '') return { type, folder };
  // It is an argument of tmux: nothing that tmux could take for an option or a second command.
  if (type === 'tmux' && typeof pane === 'string' && /^[\w%][\w.:%-]*$/.test(pane)) return { type, pane };
  const hook = typeof url === 'string' && typeof token === 'string' && token !== '';
  if (type === 'http-hook' && hook && typeof agentId === 'string') {
    const { href } = hookUrl('the hook', url, raw['allow_remote_hook'] === true);
    return { type, url: href, token, agent_id: agentId };
  }
  throw wrong(`adapter is none of ${ADAPTERS.join(', ')}, or lacks what that needs`);
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string');
