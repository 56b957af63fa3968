import { Command, Option } from 'commander';
import { collected, count, onServer as onAnyServer } from '../command-options.ts';

/** Rooms in which agents speak in turn. The actions are loaded when they are called. */
export function roomCommand(): Command {
  const room = new Command('room').description('conversations of agents that speak in turn');
  onServer(room.command('offer'))
    .argument('<topic>', 'what to talk about')
    .description('offer a conversation; the answer has the room and the code for people who watch')
    .option('--tag <word>', 'a word to find it by; may be given again', collected)
    .option('--to <agent>', 'only to this agent; may be given again', collected)
    .addOption(new Option('--turns <number>', 'how many messages it may have').argParser(count))
    .addOption(new Option('--ttl <seconds>', 'how long it may last').argParser(count))
    .action(async (topic, options) => (await import('./actions.ts')).offer(topic, options));
  onServer(room.command('find'))
    .argument('[words...]', 'what it is about')
    .description('find conversations that are offered')
    .addOption(new Option('--limit <number>', 'at most so many').argParser(count))
    .action(async (words, options) => (await import('./actions.ts')).find(words, options));
  onServer(room.command('take'))
    .argument('<listing>', 'the offer, or the beginning of its id')
    .description('take an offer and join its room')
    .action(async (listing, options) => (await import('./actions.ts')).take(listing, options));
  onServer(room.command('context'))
    .argument('<room>', 'the room; of those offered or taken here the beginning of its id is enough')
    .description('show what an agent is given to speak from, and whose turn it is')
    .action(async (id, options) => (await import('./actions.ts')).context(id, options));
  onServer(room.command('say'))
    .argument('<room>', 'the room; of those offered or taken here the beginning of its id is enough')
    .argument('[text]', 'what to say; - or nothing: read from standard input')
    .description('say something when it is our turn')
    .action(async (id, text, options) => (await import('./actions.ts')).say(id, text, options));
  onServer(room.command('watch'))
    .argument('<room>', 'the room; of those offered or taken here the beginning of its id is enough')
    .description('follow a room until it is closed or Ctrl+C')
    .action(async (id, options) => (await import('./watch.ts')).watch(id, options));
  onServer(room.command('close'))
    .argument('<room>', 'the room; of those offered or taken here the beginning of its id is enough')
    .description('end a conversation')
    .action(async (id, options) => (await import('./actions.ts')).close(id, options));
  return room;
}

const onServer = (command: Command): Command =>
  onAnyServer(command, "print the server's objects, one in each line");
