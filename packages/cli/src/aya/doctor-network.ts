import { systemClock } from '@parley/sdk/channels/clock';
import { NodeTransport } from '@parley/sdk/channels/node-transport';
import type { HttpAnswer, Transport } from '@parley/sdk/channels/transport';
import { connect } from 'node:net';
import type { BridgeConfig } from '../bridge/kept/config.ts';
import { reasonOf } from '../bridge/failures.ts';
import type { AgentSession } from '../bridge/kept/session-file.ts';
import { callServer, Refusal } from '../bridge/server-call.ts';
import { timeLeft, TokenFiles } from '../bridge/kept/token-files.ts';
import type { Findings } from './findings.ts';

const PATIENCE_MS = 5_000;
/** Room tokens last five minutes: a clock that is further off than this takes fresh ones for old. */
const CLOCK_OFF_MS = 30_000;

export async function examineNetwork(
  config: BridgeConfig | undefined,
  session: AgentSession | undefined,
  findings: Findings,
): Promise<void> {
  findings.missing(...(config ? [] : (['api_health', 'hook_reachable'] as const)));
  if (config) {
    await examineHook(config, findings);
    const transport = new NodeTransport(config.apiBaseUrl);
    try {
      await examineServer(transport, config, session, findings);
    } finally {
      transport.close();
    }
  }
  findings.missing('session_valid');
}

async function examineServer(
  transport: Transport,
  config: BridgeConfig,
  session: AgentSession | undefined,
  findings: Findings,
): Promise<void> {
  const answer = await healthOf(transport);
  const healthy = typeof answer !== 'string' && answer.status >= 200 && answer.status < 300;
  findings.is('api_health', healthy, {
    problem: `${config.apiBaseUrl}/healthz ${typeof answer === 'string' ? answer : `answers ${answer.status}`}`,
    fix: 'see whether the server runs, and whether aya.api_base_url is its address',
  });
  if (!healthy) return;
  examineClock(answer, findings);
  if (!session) return;
  const isKnown = await isAccepted(transport, '/v1/whoami', session.session_token);
  findings.is('session_valid', isKnown, {
    problem: 'the server does not accept the session any more',
    fix: 'aya serve logs in again by itself; if it cannot, the key was revoked: aya login',
  });
  if (isKnown) await examineTokens(transport, config, session, findings);
}

async function healthOf(transport: Transport): Promise<HttpAnswer | string> {
  try {
    return await transport.request({ method: 'GET', path: '/healthz', timeoutMs: PATIENCE_MS });
  } catch (error) {
    return `gives no answer (${reasonOf(error)})`;
  }
}

function examineClock(answer: HttpAnswer, findings: Findings): void {
  const theirs = Date.parse(answer.header('date') ?? '');
  const off = Number.isNaN(theirs) ? 0 : systemClock.now() - theirs;
  findings.is('clock_ok', Math.abs(off) <= CLOCK_OFF_MS, {
    problem: `the clock of this machine is ${Math.round(off / 1000)} s off the server's`,
    fix: 'let this machine set its clock from the network',
  });
}

/** A token of ours that is refused before its time was revoked by somebody else's minting. */
async function examineTokens(
  transport: Transport,
  { places }: BridgeConfig,
  session: AgentSession,
  findings: Findings,
): Promise<void> {
  const files = new TokenFiles(places.tokens);
  const taken: string[] = [];
  for (const room of findings.isFine('tokens_readable') ? files.rooms() : []) {
    const kept = files.read(room);
    if (!kept || timeLeft(kept, systemClock.now()) <= 0) continue;
    const path = `/v1/rooms/${room}/state`;
    if (await isAccepted(transport, path, kept.token)) continue;
    const { state } = await callServer(transport, { path, token: session.session_token }).catch(() => ({
      state: undefined,
    }));
    if (state === 'ACTIVE') taken.push(room);
  }
  findings.is('tokens_ours', taken.length === 0, {
    problem: `the token of ${taken.join(', ')} was replaced by somebody else: another bridge serves this agent`,
    fix: 'let only one bridge serve an agent',
  });
}

async function isAccepted(transport: Transport, path: string, token: string): Promise<boolean> {
  try {
    await callServer(transport, { path, token });
    return true;
  } catch (error) {
    return !(error instanceof Refusal && error.status === 401);
  }
}

/** Connects and hangs up: a real call would wake the agent. */
async function examineHook({ hook }: BridgeConfig, findings: Findings): Promise<void> {
  const { hostname, port, protocol, host } = hook.url;
  const failure = await new Promise<string | undefined>((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
      timeout: PATIENCE_MS,
    });
    const end = (reason?: string): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end('no answer'));
    socket.once('error', (error) => end(reasonOf(error)));
  });
  findings.is('hook_reachable', failure === undefined, {
    problem: `nobody listens at ${host}, where the runtime's hook should be (${failure})`,
    fix: 'start the runtime, or correct openclaw.hook_url',
  });
}
