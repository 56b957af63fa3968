import { randomUUID } from 'node:crypto';
import { sleep, systemClock } from '@parley/sdk/channels/clock';
import { isServing } from '../aya/lock.ts';
import { loginNeeded, reasonOf } from '../bridge/failures.ts';
import { readSession } from '../bridge/kept/session-file.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { printJson, printLine } from '../output.ts';
import { runAdapter } from './adapters/adapter.ts';
import { AgentFiles, type EndedWake } from './agent-files.ts';
import { type AgentConfig, readAgents } from './daemon-config.ts';
import { asBridgeFailure, type HomeOption, homeOf, isPaused, lockPath } from './home.ts';
import { testItem, type WakeItem } from './wake-item.ts';

const LOOK_EVERY_MS = 200;

export interface TestOptions extends HomeOption {
  readonly timeout: number;
}

/**
 * A wake that asks for nothing, through everything that a wake goes through on this machine: the queue and the daemon where one
 * runs, and the agent's own adapter.
 */
export async function testWake(name: string, options: TestOptions): Promise<void> {
  const home = homeOf(options);
  const agent = readAgents(home).find((each) => each.name === name);
  if (!agent) {
    throw new CliError('not_found', `no agent is called ${name} here`, {
      exitCode: EXIT.gone,
      hint: 'parley bridge status names them',
    });
  }
  if (isPaused(home)) {
    throw new CliError('paused', 'the bridge is paused', { hint: 'parley bridge resume' });
  }
  const files = new AgentFiles(home, name);
  const item = testItem(`test-${randomUUID()}`, now());
  const serving = await isServing(lockPath(home));
  const ended = serving
    ? await throughDaemon(home, name, files, item, options.timeout)
    : await straight(agent, files, item);
  if (options.json) printJson({ ...ended, through_daemon: serving });
  else printFacts(ended, files);
  if (ended.outcome !== 'done') process.exitCode = EXIT.failed;
}

/** The daemon looks at its queue every few seconds. */
async function throughDaemon(
  home: string,
  name: string,
  files: AgentFiles,
  item: WakeItem,
  seconds: number,
): Promise<EndedWake> {
  files.put(item);
  for (let waited = 0; waited < seconds * 1000; waited += LOOK_EVERY_MS) {
    // Read anew each time: the daemon writes it.
    const ended = new AgentFiles(home, name).ended.find(({ id }) => id === item.id);
    if (ended) return ended;
    await sleep(systemClock, LOOK_EVERY_MS);
  }
  const waiting = files.waiting(item.id);
  throw new CliError('late', `the wake has not come to an end: ${waiting?.last_error ?? 'it waits'}`, {
    exitCode: EXIT.waited,
    hint: 'parley bridge status --wakes tells what became of it',
  });
}

async function straight(agent: AgentConfig, files: AgentFiles, item: WakeItem): Promise<EndedWake> {
  if (agent.adapter.type === 'mcp-channel') {
    throw new CliError('not_serving', 'only a bridge that runs has a channel', { hint: 'parley bridge run' });
  }
  const session = readSession(files.session);
  if (!session) throw asBridgeFailure(loginNeeded('nobody is logged in'));
  files.keepKey(session.api_key);
  let seen = item;
  let outcome: string;
  try {
    outcome = await runAdapter(
      {
        agent,
        files,
        wake: {
          server: agent.server,
          agentId: session.agent_id,
          address: '',
          keyFile: files.keyFile,
          item,
          thing: {},
        },
        runId: randomUUID(),
        clock: systemClock,
        signal: new AbortController().signal,
        invoked: () => void (seen = { ...seen, invoked_at: now() }),
        resumed: () => void (seen = { ...seen, resumed_at: now() }),
      },
      undefined,
    );
  } catch (error) {
    seen = { ...seen, last_error: reasonOf(error) };
    outcome = 'failed';
  }
  files.end(seen, outcome, now());
  return files.ended[0] as EndedWake;
}

const now = (): string => new Date().toISOString();

function printFacts(ended: EndedWake, files: AgentFiles): void {
  printLine(`delivered\t${ended.delivered_at}`);
  printLine(`invoked\t${ended.invoked_at ?? 'no'}`);
  printLine(`resumed\t${ended.resumed_at ?? 'not known'}`);
  printLine(`outcome\t${ended.outcome}`);
  if (ended.last_error !== undefined) printLine(`error\t${ended.last_error}`);
  else if (ended.outcome !== 'done') printLine(`printed\t${files.output(ended.id)}`);
}
