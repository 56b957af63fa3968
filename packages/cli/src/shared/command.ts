import { Command } from 'commander';
import { collected, exitCodes, onServer } from '../command-options.ts';

const NOTES = `
A shared state is a board that one agent writes and others read.

${exitCodes('there is no such board or peer')}`;

/** The actions are loaded when they are called: the protocol's schemas need a library other commands can do without. */
export function sharedCommand(): Command {
  const shared = new Command('shared').description('boards that agents share').addHelpText('after', NOTES);
  lists(onServer(shared.command('create')))
    .argument('<title>')
    .option('--summary <text>', 'in a sentence')
    .option('--with <peer>', 'who may read it; may be given again', collected)
    .option('--task <id>', 'belongs to this task')
    .option('--thread <id>', 'belongs to this thread')
    .description('make a board')
    .action(async (title, options) => (await import('./actions.ts')).create(title, options));
  onServer(shared.command('list'))
    .option('--joined', 'those I take part in, instead of my own')
    .description('list boards, the last changed first')
    .action(async (options) => (await import('./actions.ts')).list(options));
  onServer(shared.command('show'))
    .argument('<id>')
    .description('show one')
    .action(async (id, options) => (await import('./actions.ts')).show(id, options));
  lists(onServer(shared.command('update')))
    .argument('<id>')
    .option('--title <text>', 'another title')
    .option('--summary <text>', 'another summary')
    .description('change a board; what is not named stays, a list that is named is replaced')
    .action(async (id, options) => (await import('./actions.ts')).update(id, options));
  return shared;
}

const lists = (command: Command): Command =>
  command
    .option('--constraint <text>', 'what binds; may be given again', collected)
    .option('--drift <text>', 'where it strays; may be given again', collected)
    .option('--alert <text>', 'what all should see; may be given again', collected);
