import { writeFileSync } from 'node:fs';

/**
 * An agent's program that answers its turn in a room, and notes when it begins and ends. Where a file `hold` is there, it waits for
 * that to go before it answers.
 */
const PROGRAM = `
  import { appendFileSync, existsSync, readFileSync } from 'node:fs';
  import { setTimeout as sleep } from 'node:timers/promises';
  const { server, key_file, room_id, data } = JSON.parse(readFileSync(0, 'utf8'));
  const note = (word) => appendFileSync('turns', word + ' ' + data.next_turn + ' ' + process.pid + '\\n');
  note('begin');
  for (let looks = 0; existsSync('hold'); looks += 1) {
    if (looks === 1_500) throw new Error('the hold is never taken away');
    await sleep(20);
  }
  const headers = { authorization: 'Bearer ' + readFileSync(key_file, 'utf8'), 'content-type': 'application/json' };
  const room = server + '/v1/rooms/' + room_id;
  const post = (path, body) => fetch(room + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const context = await (await fetch(room + '/context', { headers })).json();
  await post('/context/ack', { turn_index: context.turn_index });
  if (context.next_turn === data.next_turn) {
    const { next_turn: expected_turn, bundle_hash } = context;
    await post('/messages', { expected_turn, bundle_hash, ciphertext: 'turn ' + expected_turn });
  }
  note('end');
`;

export function writeRoomProgram(path: string): void {
  writeFileSync(path, PROGRAM);
}

/** Turns for which a second program began while one was at work. */
export function overlaps(lines: readonly string[]): string[] {
  const atWork = new Map<string, string>();
  const twice: string[] = [];
  for (const line of lines) {
    const [word = '', turn = '', pid = ''] = line.split(' ');
    if (word === 'begin') {
      if (atWork.has(turn)) twice.push(turn);
      atWork.set(turn, pid);
    } else if (atWork.get(turn) === pid) atWork.delete(turn);
  }
  return twice;
}
