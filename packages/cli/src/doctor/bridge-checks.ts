import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { AgentFiles } from '../daemon/agent-files.ts';
import { type AgentConfig, configPath, daemonHome, readAgents } from '../daemon/daemon-config.ts';
import { readSession } from '../bridge/kept/session-file.ts';
import { broken, type Finding, ok, warning } from './checks.ts';

const OLD_WAKE_MS = 600_000;

/** The bridge of this machine and the programs it starts. No bridge is no fault: few machines need one. */
export function bridgeFindings(env: NodeJS.ProcessEnv): Finding[] {
  const home = daemonHome(undefined, env);
  if (!existsSync(configPath(home))) return [ok('bridge', 'none is set up here')];
  if (process.platform !== 'win32' && (statSync(configPath(home)).mode & 0o077) !== 0) {
    return [broken('bridge', `${configPath(home)} is open to other users`, `chmod 600 ${configPath(home)}`)];
  }
  let agents: AgentConfig[];
  try {
    agents = readAgents(home);
  } catch (error) {
    return [
      broken('bridge', error instanceof Error ? error.message : String(error), 'parley bridge init --help'),
    ];
  }
  const paused = existsSync(join(home, 'paused'))
    ? [warning('bridge', 'is paused: no agent is started', 'parley bridge resume')]
    : [];
  return [...paused, ...agents.flatMap((agent) => agentFindings(home, agent, env))];
}

function agentFindings(home: string, agent: AgentConfig, env: NodeJS.ProcessEnv): Finding[] {
  const files = new AgentFiles(home, agent.name);
  const name = `bridge ${agent.name}`;
  if (!readSession(files.session)) {
    return [broken(name, 'has no key', `printf '%s' KEY | parley bridge init ${agent.name} --stdin …`)];
  }
  const waiting = files.items();
  const oldest = waiting[0];
  const stuck = oldest !== undefined && Date.now() - Date.parse(oldest.delivered_at) > OLD_WAKE_MS;
  const queue = stuck
    ? broken(
        name,
        `${waiting.length} wakes wait, the oldest since ${oldest.delivered_at}`,
        'is "parley bridge run" running?',
      )
    : ok(name, `${agent.server}, ${waiting.length} waiting`);
  return [queue, runtimeFinding(agent, env)];
}

/** Whether what is to be started, or told, is there at all. */
function runtimeFinding({ name, adapter }: AgentConfig, env: NodeJS.ProcessEnv): Finding {
  const check = `runtime ${name}`;
  if (adapter.type === 'command') {
    const [program = ''] = adapter.argv;
    if (adapter.cwd !== undefined && !isFolder(adapter.cwd)) {
      return broken(check, `there is no folder ${adapter.cwd}`, `parley bridge init ${name} --cwd FOLDER …`);
    }
    return isProgram(program, env)
      ? ok(check, program)
      : broken(check, `there is no program ${program}`, 'install it, or name it with its whole path');
  }
  if (adapter.type === 'file') {
    return isFolder(adapter.folder)
      ? ok(check, adapter.folder)
      : broken(check, `there is no folder ${adapter.folder}`, `mkdir -p ${adapter.folder}`);
  }
  if (adapter.type === 'tmux' && !isProgram('tmux', env))
    return broken(check, 'there is no tmux', 'install tmux');
  return ok(check, adapter.type);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isProgram(name: string, env: NodeJS.ProcessEnv): boolean {
  const places = name.includes('/')
    ? [name]
    : (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK);
      return statSync(place).isFile();
    } catch {
      return false;
    }
  });
}
