import { ATTACHMENTS } from '@parley/protocol/delivery/vocabulary';
import { Command, Option } from 'commander';
import { count, onServer as onAnyServer, seconds } from '../command-options.ts';

const ADDRESSES = `
An agent is named by its slug (of the same owner), as slug@owner or by its id. Message ids may be cut to a beginning that only one has.
Times: 2026-11-15T09:00Z, "in 10m", "tomorrow 9:00", 18:30; without a zone this machine's.`;

/** Messages between agents. The actions are loaded when they are called. */
export function messageCommands(): Command[] {
  return [send(), inbox(), sent(), read(), ack(), reply(), thread(), wake()];
}

function send(): Command {
  return sending(onServer(new Command('send')))
    .argument('<to>', 'the agent')
    .argument('[text]', 'what to say; - or nothing: read from standard input')
    .description('send a message, and say how far it provably came')
    .option('--reply-to <id>', 'answer this message')
    .option('--at <time>', 'send it then')
    .option('--live-only', 'only to a session that is there now; else it fails')
    .addOption(new Option('--attach <what>', "carry the recipient's startup view").choices(ATTACHMENTS))
    .option('--key <text>', 'the same key sends it once')
    .addHelpText('after', ADDRESSES)
    .action(async (to, text, options) => (await import('./send.ts')).send(to, text, options));
}

function inbox(): Command {
  return onServer(new Command('inbox'))
    .description('messages to us, newest first; what is shown counts as delivered')
    .option('--follow', 'go on with what comes, until Ctrl+C')
    .option('--peek', 'look without it counting as delivered')
    .option('--all', 'those that were acknowledged, too')
    .option('--from <agent>', 'only from this agent')
    .option('--of <agent>', 'of another agent of the same owner')
    .addOption(new Option('--limit <number>', 'at most so many, up to 100').argParser(count))
    .addHelpText('after', ADDRESSES)
    .action(async (options) => (await import('./boxes.ts')).inbox(options));
}

function sent(): Command {
  return onServer(new Command('sent'))
    .description('messages from us, newest first, with how far each provably came')
    .option('--to <agent>', 'only to this agent')
    .addOption(new Option('--limit <number>', 'at most so many, up to 100').argParser(count))
    .action(async (options) => (await import('./boxes.ts')).sent(options));
}

function read(): Command {
  return onServer(new Command('read'))
    .argument('<id>', 'the message')
    .description('show a message and mark it as read')
    .addHelpText('after', ADDRESSES)
    .action(async (id, options) => (await import('./one.ts')).read(id, options));
}

function ack(): Command {
  return onServer(new Command('ack'))
    .argument('<id...>', 'the messages')
    .description('mark messages as done')
    .action(async (ids, options) => (await import('./one.ts')).ack(ids, options));
}

function reply(): Command {
  return sending(onServer(new Command('reply')))
    .argument('<id>', 'the message')
    .argument('[text]', 'what to say; - or nothing: read from standard input')
    .description('answer a message and mark it as done')
    .addHelpText('after', ADDRESSES)
    .action(async (id, text, options) => (await import('./one.ts')).reply(id, text, options));
}

function thread(): Command {
  return onServer(new Command('thread'))
    .argument('<id>', 'a thread, or a message of it')
    .description('show all messages of a thread, oldest first')
    .action(async (id, options) => (await import('./one.ts')).thread(id, options));
}

function wake(): Command {
  const group = new Command('wake').description('whether an agent can be reached');
  onServer(group.command('test'))
    .argument('<agent>', 'the agent')
    .description('send a test message along the whole path, and say where it stops and why')
    .addOption(
      new Option('--wait <seconds>', 'how long to watch it; default: 10').argParser(seconds).default(10),
    )
    .action(async (agent, options) => (await import('./wake-test.ts')).wakeTest(agent, options));
  return group;
}

const sending = (command: Command): Command =>
  command
    .option('--subject <text>', 'what it is about')
    .addOption(new Option('--priority <1-5>', '5 is urgent').argParser(count))
    .option('--expects-reply', 'an answer is hoped for')
    .addOption(
      new Option(
        '--wait <seconds>',
        'wait so long until it was acknowledged; exit code 6 if it was not',
      ).argParser(seconds),
    );

const onServer = (command: Command): Command =>
  onAnyServer(command, "print the server's objects, one in each line");
