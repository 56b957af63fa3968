import { setTimeout as sleep } from 'node:timers/promises';
import type { history, roomEvent } from '@parley/protocol/rooms/answers';
import * as routes from '@parley/protocol/rooms/routes';
import type { z } from 'zod';
import { serverUrl } from '../agent/server-call.ts';
import { withCalls } from '../calling.ts';
import { EXIT } from '../cli-error.ts';
import { untilInterrupted } from '../interrupt.ts';
import { Page } from '../memory/page.ts';
import { terminalOf } from '../memory/terminal.ts';
import { printJson, printPage } from '../output.ts';
import { Patience } from '../patience.ts';
import type { ServerOptions } from '../with-server.ts';
import type { RoomState } from './actions.ts';
import { roomMeant } from './known-rooms.ts';

type RoomEvent = z.infer<typeof roomEvent>;

const LOOK_MS = 700;

/** Everything that happened, then what happens, by the number of the last event: nothing is missed or told twice. */
export async function watch(said: string, options: ServerOptions): Promise<void> {
  const id = roomMeant(said, serverUrl(options.server));
  const signal = untilInterrupted();
  await withCalls(options, async (caller) => {
    const patience = new Patience(signal);
    let since = 0;
    let isOver = false;
    while (!signal.aborted) {
      try {
        const query = { since };
        const page = await caller.call<z.infer<typeof history>>(routes.roomEventsHistory, {
          path: [id],
          query,
          signal,
        });
        for (const event of page.items) show(event, options);
        since = page.next_since;
        patience.answered();
        if (page.items.length > 0) continue;
        if (isOver) return;
        const { state } = await caller.call<RoomState>(routes.roomState, { path: [id], signal });
        // The last words may have come while we asked: they are looked for once more.
        isOver = state === 'CLOSED' || state === 'PURGED';
        if (isOver) continue;
      } catch (error) {
        await patience.after(error);
      }
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
    process.exitCode = EXIT.interrupted;
  });
}

function show(event: RoomEvent, { json }: ServerOptions): void {
  if (json) return printJson(event);
  const page = new Page(terminalOf(process.stdout, process.env));
  const { created_at: at, sender_id: sender, turn, ciphertext: text } = event;
  if (page.terminal.piped) {
    const cells = [String(event.event_id), at, event.type, sender ?? '', text ?? event.reason ?? ''];
    page.row(cells.map((cell) => ({ text: cell })));
  } else if (text === undefined) {
    page.line([
      { text: `${at}  ${event.type}${event.reason === undefined ? '' : ` (${event.reason})`}`, style: 'dim' },
    ]);
  } else {
    page.line([
      { text: sender ?? '', style: 'bold' },
      { text: `  turn ${turn ?? ''}  ${at}`, style: 'dim' },
    ]);
    page.text({ text }, 2);
  }
  printPage(page);
}
