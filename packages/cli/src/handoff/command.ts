import { Command, Option } from 'commander';
import { HANDOFF_STATUSES } from '@parley/protocol/coordination/vocabulary';
import { exitCodes, onServer } from '../command-options.ts';

const NOTES = `
A handoff gives the constraints and drift signals of a capsule to another agent of the same owner.

${exitCodes('there is no such handoff, capsule or peer')}`;

/** The actions are loaded when they are called: the protocol's schemas need a library other commands can do without. */
export function handoffCommand(): Command {
  const handoff = new Command('handoff')
    .description('what agents give to each other')
    .addHelpText('after', NOTES);
  onServer(handoff.command('send'))
    .argument('<peer>', 'who gets it')
    .argument('<subject>', 'whose capsule, as KIND/ID')
    .option('--note <text>', 'what to know about it')
    .option('--task <id>', 'belongs to this task')
    .option('--thread <id>', 'belongs to this thread')
    .description('hand a capsule over')
    .action(async (peer, subject, options) => (await import('./actions.ts')).send(peer, subject, options));
  onServer(handoff.command('list'))
    .option('--sent', 'those from me, instead of those to me')
    .addOption(new Option('--status <status>', 'only these').choices(HANDOFF_STATUSES))
    .description('list handoffs, the newest first')
    .action(async (options) => (await import('./actions.ts')).list(options));
  onServer(handoff.command('show'))
    .argument('<id>')
    .description('show one, with what it gives')
    .action(async (id, options) => (await import('./actions.ts')).show(id, options));
  for (const [name, words] of [
    ['accept', 'take it as advice'],
    ['defer', 'leave it for now; nobody is asked again'],
    ['reject', 'do not take it'],
  ] as const) {
    onServer(handoff.command(name))
      .argument('<id>')
      .option('--note <text>', 'why')
      .description(words)
      .action(async (id, options) => (await import('./actions.ts')).consume(name, id, options));
  }
  return handoff;
}
