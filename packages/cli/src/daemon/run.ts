import { systemClock } from '@parley/sdk/channels/clock';
import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { holdLock } from '../aya/lock.ts';
import { reasonOf } from '../bridge/failures.ts';
import { createLog, type Log } from '../bridge/log.ts';
import { EXIT } from '../cli-error.ts';
import { printJson, printNote } from '../output.ts';
import { AgentDaemon } from './agent-daemon.ts';
import { AgentFiles } from './agent-files.ts';
import { type AgentConfig, readAgents } from './daemon-config.ts';
import { asBridgeFailure, type HomeOption, homeOf, isPaused, lockPath } from './home.ts';

export async function run(options: HomeOption): Promise<void> {
  const home = homeOf(options);
  const agents = readAgents(home);
  const lock = await holdLock(lockPath(home));
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  process.once('SIGINT', () => {
    process.exitCode = EXIT.interrupted;
    stop.abort();
  });
  const transports: NodeTransport[] = [];
  const served = (agent: AgentConfig): { daemon: AgentDaemon; log: Log } => {
    const transport = new NodeTransport(agent.server);
    transports.push(transport);
    const log = logOf(agent, options.json ?? false);
    const files = new AgentFiles(home, agent.name);
    const parts = { agent, files, transport, log, clock: systemClock, random: Math.random };
    return { log, daemon: new AgentDaemon({ ...parts, isPaused: () => isPaused(home) }) };
  };
  try {
    const daemons = agents.map(served);
    printNote(`bridge for ${agents.map(({ name }) => name).join(', ')} runs`);
    await allOf(daemons, stop.signal);
  } catch (error) {
    throw asBridgeFailure(error);
  } finally {
    for (const transport of transports) transport.close();
    lock.release();
  }
}

/** One that cannot go on does not stop the others. When none is left, the first failure is the bridge's. */
async function allOf(
  daemons: readonly { daemon: AgentDaemon; log: Log }[],
  signal: AbortSignal,
): Promise<void> {
  const failures: unknown[] = [];
  await Promise.all(
    daemons.map(({ daemon, log }) =>
      daemon.run(signal).catch((error: unknown) => {
        failures.push(error);
        log.error('agent.stopped', { reason: reasonOf(error) });
      }),
    ),
  );
  if (failures.length > 0) throw failures[0];
}

/** Lines for a journal on standard error, or objects on standard output for whoever asked for JSON. */
const logOf = ({ name }: AgentConfig, json: boolean): Log =>
  createLog({
    clock: systemClock,
    json,
    write: (line) =>
      json
        ? printJson({ agent: name, ...(JSON.parse(line) as object) })
        : void process.stderr.write(line.replace(' ', ` ${name} `)),
  });
