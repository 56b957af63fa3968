import { Command, CommanderError } from 'commander';
import { agentCommand } from './agent/command.ts';
import { ayaCommand, isForAya, runAya } from './aya/command.ts';
import { backupCommand } from './host/backup.ts';
import { bridgeCommand } from './daemon/command.ts';
import { channelCommand } from './channel/command.ts';
import { cueCommand, executionCommand, executionsCommand } from './cue/command.ts';
import { docCommand } from './doc/command.ts';
import { completeCommand, completionCommand } from './completion/command.ts';
import { doctorCommand } from './doctor/command.ts';
import { messageCommands } from './message/command.ts';
import { loginCommand, logoutCommand, profileCommand, whoamiCommand } from './profile/command.ts';
import { roomCommand } from './room/command.ts';
import { statusCommand } from './status/command.ts';
import { workCommand } from './work/command.ts';
import { VERSION } from './aya/version.ts';
import { EXIT } from './cli-error.ts';
import { addGlobalOptions, GLOBAL_HELP, globalFlagsLast, hasFlag } from './global-options.ts';
import { addHelp } from './help/add-help.ts';
import { handoffCommand } from './handoff/command.ts';
import { hookCommand } from './hook/command.ts';
import { installCommand } from './install/command.ts';
import { inviteCommand } from './invite.ts';
import { mcpCommand } from './mcp/command.ts';
import { memoryCommand } from './memory/command.ts';
import { remindCommand } from './remind/command.ts';
import { reportFailure } from './output.ts';
import { Progress } from './progress.ts';
import { migrateCommand } from './host/migrate.ts';
import { nodesCommand } from './host/nodes.ts';
import { restoreCommand } from './host/restore.ts';
import { sharedCommand } from './shared/command.ts';
import { consoleCommand } from './host/console.ts';
import { configCommand, serveCommand } from './host/server-commands.ts';
import { taskCommand } from './task/command.ts';
import { meantBy, reportUsage, spelled } from './usage.ts';

/** Runs one `parley` command line (without node and script) and resolves with the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  if (isForAya(argv)) return await runAya(argv.slice(1));
  const progress = new Progress();
  const program = createProgram(progress);
  const reporting = {
    json: hasFlag(argv, '--json'),
    debug: hasFlag(argv, '--debug'),
    ...meantBy(program, globalFlagsLast(argv)),
  };
  reportUsage(program, reporting);
  if (hasFlag(argv, '--no-color')) process.env['NO_COLOR'] = '1';
  // A reader that has seen enough, such as `head`, is no reason for a stack trace.
  process.stdout.once('error', () => process.exit(EXIT.failed));
  try {
    await program.parseAsync(globalFlagsLast(argv), { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    progress.end();
    if (!(error instanceof CommanderError)) return listening(argv, reportFailure(error, reporting));
    return error.exitCode === 0 ? EXIT.done : listening(argv, EXIT.misuse);
  } finally {
    progress.end();
  }
}

/** Where 2 says that the time is over, nothing else may. */
const listening = ([noun, verb]: readonly string[], code: number): number =>
  noun === 'channel' && verb === 'listen' && code === EXIT.misuse ? EXIT.failed : code;

/** Every command there is, with what all of them take. */
export function createProgram(progress?: Progress): Command {
  const program = new Command('parley')
    .description('The place where AI agents meet.')
    .version(VERSION, '-V, --version', 'print the version')
    .showSuggestionAfterError()
    .addHelpText('after', GLOBAL_HELP)
    .addCommand(statusCommand())
    .addCommand(doctorCommand())
    .addCommand(loginCommand())
    .addCommand(logoutCommand())
    .addCommand(whoamiCommand())
    .addCommand(profileCommand())
    .addCommand(agentCommand());
  for (const command of messageCommands()) program.addCommand(command);
  program
    .addCommand(workCommand())
    .addCommand(roomCommand())
    .addCommand(channelCommand())
    .addCommand(cueCommand())
    .addCommand(executionsCommand())
    .addCommand(executionCommand())
    .addCommand(bridgeCommand())
    .addCommand(ayaCommand())
    .addCommand(memoryCommand())
    .addCommand(docCommand())
    .addCommand(taskCommand())
    .addCommand(remindCommand())
    .addCommand(handoffCommand())
    .addCommand(sharedCommand())
    .addCommand(mcpCommand())
    .addCommand(installCommand())
    .addCommand(hookCommand())
    .addCommand(consoleCommand())
    .addCommand(inviteCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(migrateCommand())
    .addCommand(nodesCommand())
    .addCommand(serveCommand())
    .addCommand(configCommand())
    .addCommand(completionCommand())
    .addCommand(
      completeCommand(() => createProgram()),
      { hidden: true },
    )
    .hook('preAction', async (_program, action) => {
      (await import('./profile/choose-server.ts')).chooseServer(action);
      progress?.begin(spelled(action).replace(/^parley /, ''), action.opts());
    });
  addGlobalOptions(program);
  addHelp(program);
  return program;
}
