import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@parley/sdk/channels/clock';
import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { CredentialsFile, credentialsPath } from '../agent/credentials-file.ts';
import { serverUrl } from '../agent/server-call.ts';
import { holdLock, isServing } from '../aya/lock.ts';
import { wrongConfiguration } from '../bridge/failures.ts';
import { createLog } from '../bridge/log.ts';
import { removeFile } from '../bridge/private-json.ts';
import { logIn } from '../bridge/session.ts';
import { writeSession } from '../bridge/session-file.ts';
import { secretInput } from '../channel/text-input.ts';
import { harmlessLine } from '../harmless.ts';
import { printJson, printLine, printTold } from '../output.ts';
import { AgentDaemon } from './agent-daemon.ts';
import { AgentFiles } from './agent-files.ts';
import { type AgentConfig, configPath, daemonHome, keepAgent, readAgents } from './daemon-config.ts';

export interface HomeOption {
  readonly home?: string;
  readonly json?: true;
}

export interface InitOptions extends HomeOption {
  readonly server: string;
  readonly stdin?: true;
  readonly adapter: string;
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

const homeOf = ({ home }: HomeOption): string => daemonHome(home, process.env);
const pausedPath = (home: string): string => join(home, 'paused');
const lockPath = (home: string): string => join(home, 'bridge.lock');

export async function init(name: string, argv: string[], options: InitOptions): Promise<void> {
  const home = homeOf(options);
  const server = serverUrl(options.server);
  const key = options.stdin
    ? await secretInput('API key')
    : new CredentialsFile(credentialsPath(process.env)).of(server)?.api_key;
  if (!key)
    throw wrongConfiguration(
      `there is no key for ${server}`,
      'run parley agent login, or hand one over with --stdin',
    );
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const {
    adapter: type,
    cwd,
    folder,
    pane,
    hookUrl: url,
    allow,
    startsPerHour,
    concurrency,
    timeout,
  } = options;
  keepAgent(home, name, {
    server,
    adapter: {
      type,
      ...(type === 'command' && { argv, cwd }),
      ...(type === 'http-hook' && { url, token: process.env['PARLEY_HOOK_TOKEN'] }),
      ...(options.allowRemoteHook && { allow_remote_hook: true }),
      ...(type === 'file' && { folder }),
      ...(type === 'tmux' && { pane }),
    },
    ...(options.insecure && { allow_insecure: true }),
    ...(allow && { allow }),
    ...(startsPerHour !== undefined && { starts_per_hour: Number(startsPerHour) }),
    ...(concurrency !== undefined && { concurrency: Number(concurrency) }),
    ...(timeout !== undefined && { timeout_seconds: Number(timeout) }),
  });
  const transport = new NodeTransport(server);
  try {
    const opened = await logIn(transport, key);
    const { session } = new AgentFiles(home, name);
    writeSession(session, { api_key: key, ...opened, updated_at: new Date().toISOString() });
    if (options.json) printJson({ name, agent_id: opened.agent_id, config: configPath(home) });
    else printTold(`${name} is set up in ${configPath(home)}; start it with: parley bridge run`);
  } finally {
    transport.close();
  }
}

export async function run(options: HomeOption & { readonly logLevel?: string }): Promise<void> {
  const home = homeOf(options);
  const agents = readAgents(home);
  const lock = await holdLock(lockPath(home));
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  const transports: NodeTransport[] = [];
  const daemon = (agent: AgentConfig): AgentDaemon => {
    const transport = new NodeTransport(agent.server);
    transports.push(transport);
    return new AgentDaemon({
      agent,
      files: new AgentFiles(home, agent.name),
      transport,
      clock: systemClock,
      random: Math.random,
      log: createLog({
        clock: systemClock,
        write: (line) => void process.stderr.write(line.replace(' ', ` ${agent.name} `)),
      }),
      isPaused: () => existsSync(pausedPath(home)),
    });
  };
  try {
    const daemons = agents.map(daemon);
    process.stderr.write(`parley: bridge for ${agents.map(({ name }) => name).join(', ')} runs\n`);
    // One that cannot go on ends all: a service manager and its owner should see that.
    await Promise.all(
      daemons.map((each) =>
        each.run(stop.signal).catch((error: unknown) => {
          stop.abort();
          throw error;
        }),
      ),
    );
  } finally {
    for (const transport of transports) transport.close();
    lock.release();
  }
}

export async function status(options: HomeOption & { readonly wakes?: true }): Promise<void> {
  const home = homeOf(options);
  const serving = await isServing(lockPath(home));
  const paused = existsSync(pausedPath(home));
  for (const agent of readAgents(home)) {
    const files = new AgentFiles(home, agent.name);
    const waiting = files.items();
    const told = { name: agent.name, server: agent.server, adapter: agent.adapter.type, serving, paused };
    if (options.json) {
      printJson({
        ...told,
        waiting: waiting.length,
        ...(options.wakes && { wakes: [...waiting, ...files.ended] }),
      });
      continue;
    }
    const state = paused ? 'paused' : serving ? 'runs' : 'does not run';
    printColumns(agent.name, agent.adapter.type, agent.server, state, `${waiting.length} waiting`);
    if (!options.wakes) continue;
    for (const { id, type, from, delivered_at: delivered } of waiting) {
      printColumns(`  ${id}`, type, from, `delivered ${delivered}`);
    }
    for (const wake of files.ended) {
      const invoked = wake.invoked_at === null ? 'not invoked' : `invoked ${wake.invoked_at}`;
      const ended = `${wake.outcome} ${wake.ended_at}`;
      printColumns(`  ${wake.id}`, wake.type, wake.from, `delivered ${wake.delivered_at}`, invoked, ended);
    }
  }
}

const printColumns = (...words: string[]): void => printLine(words.map(harmlessLine).join('\t'));

/** Stops every start at once, also of a bridge that runs; what comes meanwhile is kept. */
export function pause(options: HomeOption): void {
  const home = homeOf(options);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(pausedPath(home), '', { mode: 0o600 });
  tell(options, true);
}

export function resume(options: HomeOption): void {
  removeFile(pausedPath(homeOf(options)));
  tell(options, false);
}

function tell({ json }: HomeOption, paused: boolean): void {
  if (json) printJson({ paused });
  else printTold(paused ? 'No agent is started until: parley bridge resume' : 'Agents are started again');
}
