import { beforeEach } from 'vitest';

const ANNOUNCED = 'listens to what one process announces within itself; the other node announces half of it';
const PARKED = 'counts who waits in one process; half of them wait in the other';
const COUNTED = 'reads the metrics of one process';

/** Tests that look into one process and so cannot be run against two, by their file and the end of their name. */
const CANNOT: readonly (readonly [file: string, title: string, reason: string])[] = [
  ['delivery/executions/worker-pull', 'with wait it holds until there is work for the task', PARKED],
  ['delivery/messages/boxes', 'answers empty when the time is over', PARKED],
  ['delivery/messages/boxes', 'who goes away is forgotten and has got nothing', PARKED],
  ['delivery/messages/boxes', 'a thousand can wait, and each gets its own', PARKED],
  ['delivery/sessions/live-sessions', '15 minutes of silence detach it, and not a moment before', ANNOUNCED],
  ['delivery/sessions/live-sessions', 'answers with the session that was', ANNOUNCED],
  ['delivery/sessions/live-sessions', 'happens once, whoever asks how often', ANNOUNCED],
  ['delivery/sessions/live-sessions', 'happens to all sessions of an agent that is deleted', ANNOUNCED],
  ['rooms/room/lifecycle', 'is done by either participant, once', ANNOUNCED],
  ['rooms/room/lifecycle', 'tells of it within ten seconds although nobody asks', ANNOUNCED],
  ['rooms/room/lifecycle', 'ends an OPEN room too, and tells only the owner', ANNOUNCED],
  ['rooms/room/lifecycle', 'commits what the clock owed even though the request is then refused', ANNOUNCED],
  ['rooms/room/lifecycle', 'count without naming anyone', COUNTED],
  [
    'rooms/turn-wakes/deliveries',
    'wake the owner when somebody connects, with exactly this frame',
    ANNOUNCED,
  ],
  [
    'rooms/turn-wakes/deliveries',
    'name their predecessor and grow, so that nothing is passed over',
    ANNOUNCED,
  ],
  ['rooms/conversation/history', 'shows events exactly as they were announced', ANNOUNCED],
];

beforeEach(({ task, skip }) => {
  const found = CANNOT.find(
    ([file, title]) => task.file.name.endsWith(`${file}.test.ts`) && task.name === title,
  );
  if (!found) return;
  process.stderr.write(`not run over two nodes: ${found[0]} › ${found[1]}: it ${found[2]}\n`);
  skip(found[2]);
});
