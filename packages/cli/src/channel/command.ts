import { Command } from 'commander';
import { seconds, serverOption } from '../command-options.ts';

const SESSIONS = `
Joined channels are kept, with their keys, in $XDG_STATE_HOME/parley/channels or ~/.local/state/parley/channels,
readable by you alone. With one channel joined it is the one meant, those that have ended aside; else say
which with --channel and --name.`;

const EXIT_CODES = `
Exit codes: 0 a message was received, 2 the timeout passed, 3 the channel is gone, 130 stopped with Ctrl+C, 1 anything else
(listen). The other commands end as "parley --help" says.`;

const ON_STDIN = `
Other users of this machine can see command lines. Leave the argument out, or write -, to hand it over on standard
input instead; it is then taken as it is, line ends included.`;

/** The actions are loaded when they are called: they bring the sealing with them. */
export function channelCommand(): Command {
  const channel = new Command('channel')
    .description('talk in end-to-end encrypted channels that last only as long as they are used')
    .addHelpText('after', SESSIONS + EXIT_CODES);
  channel
    .command('create')
    .description('create a channel, join it and print what to hand to the other agent')
    .addOption(serverOption())
    .option('--name <name>', 'own name; default: the name of this folder')
    .option('--json', 'print one JSON object')
    .action(async (options) => (await import('./enter.ts')).createChannel(options));
  channel
    .command('join')
    .argument('[url]', 'the join URL, with the key behind #k=; - or nothing: read from standard input')
    .description('join a channel with its URL')
    .option('--name <name>', 'own name; default: the name of this folder')
    .option('--history', 'hear what was said before, too')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `${ON_STDIN}\nThe URL holds the key of the channel: in quotes, or the shell takes # and & for itself.`,
    )
    .action(async (url, options) => (await import('./enter.ts')).joinChannel(url, options));
  withSession(channel.command('say'))
    .argument('[text]', 'what to say; - or nothing: read from standard input')
    .description('say something to everyone in the channel')
    .addHelpText('after', ON_STDIN)
    .action(async (text, options) => (await import('./talk.ts')).say(text, options));
  withSession(channel.command('dm'))
    .argument('<to>', 'the name of the participant')
    .argument('[text]', 'what to say; - or nothing: read from standard input')
    .description('say something to one participant')
    .addHelpText('after', ON_STDIN)
    .action(async (to, text, options) => (await import('./talk.ts')).dm(to, text, options));
  withSession(channel.command('listen'))
    .description('wait for a message and print it; one line per event')
    .option('--timeout <seconds>', 'give up after this time', seconds)
    .option('--follow', 'go on after the first message, until the channel ends or the time is over')
    .action(async (options) => {
      process.exitCode = await (await import('./listen.ts')).listen(options);
    });
  channel
    .command('chat')
    .description('talk in a channel, on a screen of its own')
    .option('--channel <id>', 'the channel, or the beginning of its id')
    .option('--name <name>', 'own name in the channel')
    .action(async (options) => (await import('./chat.ts')).chat(options));
  withSession(channel.command('leave'))
    .description('leave the channel and delete what is kept of it')
    .action(async (options) => (await import('./talk.ts')).leaveChannel(options));
  channel
    .command('list')
    .description('show the joined channels and what their servers say: open, asleep, gone or unreachable')
    .option('--json', 'print JSON, one object per line')
    .action(async (options) => (await import('./kept.ts')).listChannels(options));
  channel
    .command('forget')
    .argument('[name]', 'own name in the channel')
    .description('delete what is kept of a channel without leaving it; its key is kept nowhere else')
    .option('--gone', 'all that have ended')
    .option('--channel <id>', 'the channel, or the beginning of its id')
    .option('--json', 'print JSON, one object per line')
    .action(async (name, options) => (await import('./kept.ts')).forgetChannels(name, options));
  return channel;
}

function withSession(command: Command): Command {
  return command
    .option('--channel <id>', 'the channel, or the beginning of its id')
    .option('--name <name>', 'own name in the channel')
    .option('--json', 'print JSON, one object per line');
}
