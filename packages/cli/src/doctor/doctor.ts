import { serverUrl } from '../agent/server-call.ts';
import { EXIT } from '../cli-error.ts';
import { Page } from '../memory/page.ts';
import { terminalOf } from '../memory/terminal.ts';
import { printJson, printPage } from '../output.ts';
import { VERSION } from '../aya/version.ts';
import { bridgeFindings } from './bridge-checks.ts';
import { type Finding, keyFindings, nodeFinding, serverFindings, streamFinding } from './checks.ts';

export interface DoctorOptions {
  server: string;
  profile?: string | undefined;
  json?: boolean | undefined;
}

/** Looks at everything between this terminal and an agent that starts. Broken is what stops something from working. */
export async function doctor(options: DoctorOptions): Promise<void> {
  const findings = [nodeFinding(), ...(await onServer(options)), ...bridgeFindings(process.env)];
  if (findings.some(({ state }) => state === 'broken')) process.exitCode = EXIT.failed;
  if (options.json) for (const finding of findings) printJson(finding);
  else show(findings);
}

async function onServer({ server: given, profile }: DoctorOptions): Promise<Finding[]> {
  const answers = await serverFindings(given, VERSION);
  // Without a server nothing can be said about the rest.
  if (answers.some(({ check, state }) => check === 'server' && state === 'broken')) return answers;
  const server = serverUrl(given);
  const { findings, token } = await keyFindings(server, profile);
  const stream = token === undefined ? [] : [await streamFinding(server, token)];
  return [...answers, ...findings, ...stream];
}

const MARKS = { ok: 'ok     ', warning: 'warning', broken: 'broken ' } as const;
const STYLES = { ok: 'green', warning: 'yellow', broken: 'red' } as const;

function show(findings: readonly Finding[]): void {
  const page = new Page(terminalOf(process.stdout, process.env));
  for (const { check, state, detail, fix } of findings) {
    if (page.terminal.piped) page.row([state, check, detail, fix ?? ''].map((text) => ({ text })));
    else {
      page.item(MARKS[state], { text: `${check}: ${detail}`, style: STYLES[state] }, 0);
      if (fix !== undefined) page.text({ text: fix }, 8);
    }
  }
  printPage(page);
}
