import type { JsonObject } from '@parley/protocol/json';
import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { TransportError } from '@parley/sdk/channels/transport';
import { CredentialsFile, credentialsPath } from '../agent/credentials-file.ts';
import { serverUrl } from '../agent/server-call.ts';
import { reasonOf, wrongConfiguration } from '../bridge/failures.ts';
import { logIn } from '../bridge/session.ts';
import { writeSession } from '../bridge/kept/session-file.ts';
import { secretInput } from '../channel/text-input.ts';
import { CliError, NO_SERVER, noKey } from '../cli-error.ts';
import { printJson, printTold } from '../output.ts';
import { AgentFiles } from './agent-files.ts';
import { checkAgent, configPath, keepAgent } from './daemon-config.ts';
import { asBridgeFailure, type HomeOption, homeOf } from './home.ts';
import { isPreset, PRESETS } from './presets.ts';

export interface InitOptions extends HomeOption {
  readonly server: string;
  readonly stdin?: true;
  readonly profile?: string;
  readonly adapter?: string;
  readonly preset?: string;
  readonly startup?: boolean;
  readonly cwd?: string;
  readonly folder?: string;
  readonly pane?: string;
  readonly hookUrl?: string;
  readonly allowRemoteHook?: boolean;
  readonly insecure?: boolean;
  readonly allow?: string[];
  readonly startsPerHour?: string;
  readonly concurrency?: string;
  readonly timeout?: string;
}

/** Nothing is written before the server took the key. */
export async function init(name: string, argv: string[], options: InitOptions): Promise<void> {
  const home = homeOf(options);
  const server = serverUrl(options.server);
  const key = options.stdin
    ? await secretInput('API key')
    : new CredentialsFile(credentialsPath(process.env)).of(server, options.profile)?.api_key;
  if (!key) throw noKey(server);
  const agent = { server, ...settingsOf(argv, options) };
  checkAgent(name, agent);
  const opened = await loggedIn(server, key);
  const { session } = new AgentFiles(home, name);
  writeSession(session, { api_key: key, ...opened, updated_at: new Date().toISOString() });
  keepAgent(home, name, agent);
  if (options.json) printJson({ name, agent_id: opened.agent_id, config: configPath(home) });
  else printTold(`${name} is set up in ${configPath(home)}; start it with: parley bridge run`);
}

function settingsOf(argv: readonly string[], options: InitOptions): JsonObject {
  const { preset, allow, startsPerHour, concurrency, timeout } = options;
  return {
    adapter: adapterOf(argv, options),
    ...((options.startup ?? preset !== undefined) && { startup: true }),
    ...(options.insecure && { allow_insecure: true }),
    ...(allow && { allow }),
    ...(startsPerHour !== undefined && { starts_per_hour: Number(startsPerHour) }),
    ...(concurrency !== undefined && { concurrency: Number(concurrency) }),
    ...(timeout !== undefined && { timeout_seconds: Number(timeout) }),
  };
}

/** What stands behind `--` is the program, or with a preset more words for it. */
function adapterOf(argv: readonly string[], options: InitOptions): JsonObject {
  const { preset, adapter: type = 'command', cwd, folder, pane, hookUrl: url } = options;
  if (preset !== undefined) {
    if (!isPreset(preset) || type !== 'command') {
      throw wrongConfiguration('a preset goes with the adapter command alone');
    }
    const [program, ...words] = PRESETS[preset].argv;
    return { type, argv: [program, ...words, ...argv, ...PRESETS[preset].last], cwd, input: 'prompt' };
  }
  return {
    type,
    ...(type === 'command' && { argv, cwd }),
    ...(type === 'http-hook' && { url, token: process.env['PARLEY_HOOK_TOKEN'] }),
    ...(options.allowRemoteHook && { allow_remote_hook: true }),
    ...(type === 'file' && { folder }),
    ...(type === 'tmux' && { pane }),
  };
}

async function loggedIn(
  server: string,
  key: string,
): Promise<{ readonly session_token: string; readonly agent_id: string }> {
  const transport = new NodeTransport(server);
  try {
    return await logIn(transport, key);
  } catch (error) {
    if (!(error instanceof TransportError)) throw asBridgeFailure(error);
    throw new CliError('unreachable', `no answer from ${server}: ${reasonOf(error)}`, {
      hint: NO_SERVER,
    });
  } finally {
    transport.close();
  }
}
