import { loginAgent, registerAgent } from '@parley/protocol/identity/agent-routes';
import { whoAmI } from '@parley/protocol/identity/routes';
import { agentRegistered, loggedIn, whoami as whoamiAnswer } from '@parley/protocol/identity/schemas';
import { CliError, noKey } from '../cli-error.ts';
import { secretInput } from '../channel/text-input.ts';
import { printJson, printTold } from '../output.ts';
import { type Credentials, CredentialsFile, credentialsPath } from './credentials-file.ts';
import { callRoute, serverUrl } from './server-call.ts';

interface Options {
  server: string;
  profile?: string | undefined;
  json?: boolean | undefined;
}

export interface RegisterOptions extends Options {
  invite?: boolean | undefined;
  replace?: boolean | undefined;
}

export async function register(name: string, options: RegisterOptions): Promise<void> {
  const server = serverUrl(options.server);
  const file = openFile();
  const { profile } = options;
  const known = profile === undefined ? file.of(server) : file.profile(profile);
  if (known && !options.replace) {
    throw new CliError(
      'already_registered',
      `parley: there is already a key of ${known.agent_id} for ${server}`,
      { hint: '--replace makes a new agent to be from now on, --profile NAME one beside it; the key stays' },
    );
  }
  const invite = options.invite ? await secretInput('invite code') : undefined;
  file.ensureWritable();
  const body = { name, ...(invite !== undefined && { invite }) };
  const made = agentRegistered.parse(await callRoute(server, registerAgent, { body }));
  const before = file.nameOf(server);
  file.put(server, made, profile ?? profileName(name));
  // One that is made beside others, by name, is meant by that name.
  if (profile !== undefined && before !== undefined && !options.replace) file.use(before);
  if (options.json) printJson({ agent_id: made.agent_id, server, credentials_file: file.path });
  else printTold(`Registered ${made.agent_id} at ${server}\nIts API key is in ${file.path}`);
}

/** As it is typed behind --profile. */
const profileName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '') || 'agent';

export interface LoginOptions extends Options {
  stdin?: boolean | undefined;
}

export async function login(options: LoginOptions): Promise<void> {
  const server = serverUrl(options.server);
  const file = openFile();
  const { profile } = options;
  const kept = profile === undefined ? file.of(server) : file.named(server, profile);
  if (profile !== undefined && !kept) throw noProfile(server, profile, file.names(server));
  const key = options.stdin ? await secretInput('API key') : kept?.api_key;
  if (!key) throw noKey(server);
  file.ensureWritable();
  const opened = loggedIn.parse(await callRoute(server, loginAgent, { body: { api_key: key } }));
  file.put(server, {
    agent_id: opened.agent_id,
    api_key: key,
    session_token: opened.session_token,
    session_expires_at: opened.expires_at,
  });
  const { agent_id, expires_at } = opened;
  if (options.json) printJson({ agent_id, server, expires_at, credentials_file: file.path });
  else printTold(`Logged in to ${server} as ${agent_id} until ${expires_at}`);
}

export async function whoami(options: Options): Promise<void> {
  const server = serverUrl(options.server);
  const known = openFile().of(server, options.profile);
  if (!known) throw noKey(server);
  const answer = whoamiAnswer.parse(await asWhoever(server, known));
  if (options.json) {
    printJson(answer);
    return;
  }
  const { agent, owner, credential } = answer;
  printTold(agent ? `${agent.address}  ${agent.id}  ${agent.display_name}` : `owner ${owner.slug}`);
  printTold(
    `by ${credential.kind === 'session' ? 'session' : `key ${credential.prefix}…`}${ending(credential.expires_at)}`,
  );
  printTold(`scopes ${answer.scopes.join(' ')}`);
}

/** By the session if there is one that still holds, else by the key. */
async function asWhoever(
  server: string,
  { session_token: session, api_key: key }: Credentials,
): Promise<unknown> {
  if (session === undefined) return await callRoute(server, whoAmI, { token: key });
  try {
    return await callRoute(server, whoAmI, { token: session });
  } catch (error) {
    if (!(error instanceof CliError) || error.details['status'] !== 401) throw error;
    return await callRoute(server, whoAmI, { token: key });
  }
}

const ending = (expiresAt: string | null): string => (expiresAt === null ? '' : ` until ${expiresAt}`);

const openFile = (): CredentialsFile => new CredentialsFile(credentialsPath(process.env));

const noProfile = (server: string, name: string, known: readonly string[]): CliError =>
  new CliError('no_profile', `parley: nothing called ${name} is kept for ${server}`, {
    hint: known.length > 0 ? `there is ${known.join(', ')}` : 'nothing is kept; "parley login" changes that',
  });
