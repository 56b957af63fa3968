import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { text } from 'node:stream/consumers';
import { requireConfig } from '../bridge/kept/config.ts';
import { loginNeeded, wrongConfiguration } from '../bridge/failures.ts';
import { makeFolders } from '../bridge/kept/places.ts';
import { callServer } from '../bridge/server-call.ts';
import { logIn } from '../bridge/session.ts';
import { type AgentSession, forgetSession, readSession, writeSession } from '../bridge/kept/session-file.ts';
import { printJson } from '../output.ts';
import { type ConfigOptions, homeOf } from './options.ts';
import { askSecret } from './prompt.ts';

export interface LoginOptions extends ConfigOptions {
  readonly apiKey?: string;
  readonly stdin?: true;
}

export async function login(options: LoginOptions): Promise<void> {
  const { apiBaseUrl, places } = requireConfig(homeOf(options), options);
  const key = await keyFrom(options);
  if (key === '') throw loginNeeded('there is no API key to log in with');
  const transport = new NodeTransport(apiBaseUrl);
  try {
    const opened = await logIn(transport, key);
    makeFolders(places);
    const updated_at = new Date().toISOString();
    writeSession(places.session, { api_key: key, ...opened, updated_at });
  } finally {
    transport.close();
  }
  printJson({ ok: true, session_path: places.session });
}

async function keyFrom({ apiKey, stdin }: LoginOptions): Promise<string> {
  // What looks like an option is one whose place the key should have.
  if (apiKey?.startsWith('-')) throw wrongConfiguration(`--api-key has no value but ${apiKey}`);
  if (apiKey !== undefined) return apiKey.trim();
  if (stdin) return (await text(process.stdin)).trim();
  const given = process.env['AYA_API_KEY']?.trim();
  if (given) return given;
  return process.stdin.isTTY ? await askSecret('API key') : '';
}

export async function logout(options: ConfigOptions): Promise<void> {
  const { apiBaseUrl, places } = requireConfig(homeOf(options), options);
  const session = sessionIn(places.session);
  if (session) await endSession(apiBaseUrl, session);
  forgetSession(places.session);
  printJson({ ok: true, session_path: places.session, removed: true });
}

/** A broken file is removed like any other. */
function sessionIn(path: string): AgentSession | undefined {
  try {
    return readSession(path);
  } catch {
    return undefined;
  }
}

/** Where the server can; a server that cannot, or is not there, forgets the session by itself in time. */
async function endSession(server: string, { session_token: token }: AgentSession): Promise<void> {
  const transport = new NodeTransport(server);
  try {
    const { endpoints } = await callServer(transport, { path: '/v1/capabilities' });
    const path = '/v1/agent/session';
    const offered =
      Array.isArray(endpoints) &&
      endpoints.some(
        (one: { method?: unknown; path?: unknown } | null) => one?.path === path && one.method === 'DELETE',
      );
    if (offered && token !== '') await callServer(transport, { method: 'DELETE', path, token });
  } catch {
  } finally {
    transport.close();
  }
}
