import { Argument, Command } from 'commander';
import { serverOption } from '../command-options.ts';

const HELP = `
Once, for the shell you use:
  eval "$(parley completion bash)"          in ~/.bashrc
  eval "$(parley completion zsh)"           in ~/.zshrc
  parley completion fish | source           in ~/.config/fish/config.fish`;

export function completionCommand(): Command {
  return new Command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .description('print what makes a shell complete commands, flags and names')
    .addHelpText('after', HELP)
    .action(async (shell) => (await import('./scripts.ts')).printScript(shell));
}

/** Asked by those scripts: what may stand in place of the last word. */
export function completeCommand(program: () => Command): Command {
  return new Command('__complete')
    .argument('[words...]')
    .description('what may come next')
    .addOption(serverOption())
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words, { server }) => (await import('./complete.ts')).complete(program(), words, server));
}
