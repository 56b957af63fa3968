import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as device from '@parley/protocol/identity/device-login-routes';
import { whoAmI } from '@parley/protocol/identity/routes';
import { whoami as whoamiAnswer } from '@parley/protocol/identity/schemas';
import { type Credentials, CredentialsFile, credentialsPath } from '../agent/credentials-file.ts';
import { callRoute, serverUrl } from '../agent/server-call.ts';
import { tell, type Whoami, withCalls } from '../calling.ts';
import { secretInput } from '../channel/text-input.ts';
import { CliError, NO_KEY } from '../cli-error.ts';
import { printJson, printNote, printTold } from '../output.ts';
import type { ServerOptions } from '../with-server.ts';

export interface LoginOptions extends ServerOptions {
  as?: string | undefined;
  email?: string | undefined;
}

export async function login(options: LoginOptions): Promise<void> {
  const server = serverUrl(options.server);
  const file = openFile();
  file.ensureWritable();
  const key = options.stdin ? await secretInput('API key') : await byDevice(server, options.email);
  const who = whoamiAnswer.parse(await callRoute(server, whoAmI, { token: key }));
  const agentId = who.agent?.id.replace(/^agent_/, 'agt_') ?? who.owner.id;
  const name = file.put(
    server,
    { agent_id: agentId, api_key: key },
    options.as ?? options.profile ?? who.agent?.slug ?? who.owner.slug,
  );
  file.use(name);
  const shown = { profile: name, server, agent_id: agentId, credentials_file: file.path };
  if (options.json) printJson(shown);
  else
    printTold(
      `Logged in to ${server} as ${addressOf(who)}\nIts key is kept as profile ${name} in ${file.path}`,
    );
}

interface Begun {
  readonly verification_url: string;
  readonly expires_in: number;
}

interface Polled {
  readonly status: device.DeviceLoginStatus;
  readonly api_key?: string;
}

const POLL_MS = 2_000;
/** A server that does not answer keeps nobody logged in here. */
const GOODBYE_MS = 5_000;

/** A person opens a page and approves there; meanwhile we ask. The code is ours and unguessable. */
async function byDevice(server: string, email: string | undefined): Promise<string> {
  const body = { device_code: randomBytes(16).toString('hex') };
  // Checked against the declarations.
  const begun = (await callRoute(server, device.deviceCodeCreate, { body })) as Begun;
  const { verification_url: url, expires_in: seconds } = begun;
  if (email === undefined) printNote(`open ${url} in a browser and approve there`);
  else {
    await callRoute(server, device.deviceCodeSubmitEmail, { body: { ...body, email } });
    printNote(`a link was sent to ${email}; open it and approve there`);
  }
  printNote(`waiting for up to ${Math.round(seconds / 60)} minutes; Ctrl+C gives up`);
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(POLL_MS)) {
    const polled = (await callRoute(server, device.deviceCodePoll, { body })) as Polled;
    if (polled.api_key !== undefined) return polled.api_key;
    if (polled.status === 'expired' || polled.status === 'claimed') break;
  }
  throw new CliError('timed_out', 'parley: nobody approved the login in time', {
    hint: 'begin again with "parley login"',
  });
}

export async function logout(options: ServerOptions): Promise<void> {
  const server = serverUrl(options.server);
  const file = openFile();
  const name = options.profile === undefined ? file.nameOf(server) : file.called(options.profile);
  const known = name === undefined ? undefined : file.profile(name);
  if (name === undefined || !known) {
    throw new CliError('no_key', `parley: nobody is logged in to ${server}`, { hint: NO_KEY });
  }
  await endSession(known.server, known);
  file.remove(name);
  if (options.json) printJson({ profile: name, server: known.server, removed: true });
  else printTold(`Logged out ${name} of ${known.server}; its key is forgotten here`);
}

/** As well as it can be done: a session ends by itself. */
async function endSession(server: string, { session_token: session }: Credentials): Promise<void> {
  if (session === undefined) return;
  const init = {
    method: 'DELETE',
    headers: { authorization: `Bearer ${session}` },
    redirect: 'error',
    signal: AbortSignal.timeout(GOODBYE_MS),
  } as const;
  await fetch(`${server}/v1/agent/session`, init).catch(() => undefined);
}

export async function whoami(options: ServerOptions): Promise<void> {
  await withCalls(options, async (caller) => {
    tell([await caller.call<Whoami>(whoAmI)], options, (page, [who]) => {
      if (!who) return;
      const { credential, scopes } = who;
      const by = credential.kind === 'session' ? 'session' : `key ${credential.prefix}…`;
      page.line([{ text: addressOf(who), style: 'bold' }]);
      const until = credential.expires_at === null ? '' : ` until ${credential.expires_at}`;
      page.fact('By', { text: by + until }, 6);
      page.fact('Server', { text: options.server }, 6);
      page.fact('Scopes', { text: scopes.join(' ') }, 6);
    });
  });
}

export const addressOf = ({ agent, owner }: Whoami): string =>
  agent ? `${agent.address} (${agent.id})` : `owner ${owner.slug}`;

const openFile = (): CredentialsFile => new CredentialsFile(credentialsPath(process.env));
