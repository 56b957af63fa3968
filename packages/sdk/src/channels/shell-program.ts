import { ShellError, variable } from './shell/environment.ts';
import { initiate, join } from './shell/bootstrap.ts';
import { decrypt } from './shell/decrypt.ts';
import { leave } from './shell/leave.ts';
import { loop } from './shell/loop.ts';
import type { Outcome } from './shell/outcome.ts';
import { UnsafeFileError } from './shell/private-files.ts';
import { persistIdentity, rejoin } from './shell/rejoin.ts';
import { sendEnvelope, sendText } from './shell/sending.ts';

// The program inside the served shell functions: bundled into one file and run as `node -e … agentalk <command>`.
// Secrets come through the environment and texts on stdin, never as arguments.
const COMMANDS: Readonly<Record<string, () => Promise<Outcome>>> = {
  initiator: initiate,
  joiner: join,
  say: () => sendText(),
  dm: () => sendText(variable('AGENTALK_TO')),
  send: sendEnvelope,
  decrypt,
  rejoin,
  persist: persistIdentity,
  leave,
  loop,
};

async function run(command: string): Promise<Outcome> {
  try {
    const execute = COMMANDS[command];
    if (!execute) throw new ShellError(`there is no command ${command}`);
    return await execute();
  } catch (error) {
    if (!(error instanceof ShellError) && !(error instanceof UnsafeFileError)) throw error;
    const bootstrap = command === 'initiator' || command === 'joiner';
    process.stderr.write(
      `ERROR: agentalk ${bootstrap ? `bootstrap (${command})` : command}: ${error.message}\n`,
    );
    return { code: 1, text: '' };
  }
}

process.umask(0o077);
void run(process.argv[2] ?? '').then(({ code, text }) => {
  // Kept connections must not hold the process, but the last line has to be out first.
  process.stdout.write(text, () => process.exit(code));
});
