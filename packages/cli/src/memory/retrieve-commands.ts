import {
  RESULTS_LIMIT,
  RETRIEVED_CAPSULES,
  RETRIEVED_TOKENS,
  WINDOW_DAYS,
} from '@parley/protocol/knowledge/limits';
import {
  CONTINUITY_MODES,
  RESILIENCE_POLICIES,
  VERIFICATION_POLICIES,
} from '@parley/protocol/knowledge/vocabulary';
import { Argument, type Command, Option } from 'commander';
import { collected, count, onServer } from '../command-options.ts';

/** The commands that gather what an agent begins with. */
export function addRetrieving(memory: Command): void {
  onServer(memory.command('retrieve'))
    .argument('<task...>', 'what is to be done, in words')
    .option('--about <subject>', 'the subject it is about, as KIND/ID')
    .option('--with <subject>', 'another subject, as KIND/ID; up to four', collected)
    .addOption(new Option('--mode <mode>', 'required fails without a capsule').choices(CONTINUITY_MODES))
    .addOption(
      new Option('--healthy <policy>', 'what to do with doubtful capsules').choices(VERIFICATION_POLICIES),
    )
    .addOption(new Option('--active <policy>', 'what to do with snapshots').choices(RESILIENCE_POLICIES))
    .addOption(number('--capsules <number>', 'at most so many capsules', RETRIEVED_CAPSULES))
    .addOption(number('--tokens <number>', 'for the capsules together, about', RETRIEVED_TOKENS))
    .option('--type <type>', 'only documents of this type; may be given again', collected)
    .addOption(number('--days <number>', 'documents of so many days', WINDOW_DAYS))
    .addOption(number('--limit <number>', 'at most so many documents', RESULTS_LIMIT))
    .description('gather what an agent should know before it begins')
    .action(async (words, options) => (await import('./retrieve.ts')).retrieve(words, options));
  onServer(memory.command('graph'))
    .addArgument(new Argument('<subject...>', 'a thread or a task, as KIND ID or KIND/ID'))
    .description('draw what is linked to a thread or a task')
    .addHelpText(
      'after',
      `
A pipe gets a row for each link: what it is, from where, to where. Exit code 3: nothing is known of the subject.`,
    )
    .action(async (words, options) => (await import('./retrieve.ts')).graph(words, options));
}

const number = (flags: string, what: string, { most, usual }: { most: number; usual: number }): Option =>
  new Option(flags, `${what}, up to ${most}; usually ${usual}`).argParser(count);
