import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { viewed } from '../testing/tagged.ts';
import { shownHere } from '../when.ts';
import type { Message } from './messages.ts';
import { showMessage, showMessages, showProof } from './views.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 5, 1, 9) }));
afterEach(() => void vi.useRealTimers());

const message = (change: Partial<Message> = {}): Message =>
  ({
    id: 'msg_000000000001',
    created_at: '2026-06-01T08:58:00.000Z',
    from: { slug: 'ann@ann' },
    to: 'bob@bob',
    delivery_state: 'delivered',
    proven_stage: 'offered',
    proven_stage_reason: null,
    delivery_route: null,
    delivery_warning: null,
    send_at: null,
    thread_id: null,
    reply_to: null,
    subject: null,
    preview: 'shall we?',
    body: 'shall we?\nor not?',
    read_at: null,
    acked_at: null,
    ...change,
  }) as Message;

const rows = (who: 'from' | 'to', each: Message): string | undefined =>
  viewed((page) => showMessages(page, [each], who, 'None.')).split('\n')[1];

test('an inbox names the sender and the state, a box of sent ones whom it went to and how far it came', () => {
  const read = message({ subject: 'tides', read_at: '2026-06-01T08:59:00.000Z' });
  expect(rows('from', message())).toBe(
    'msg_000000000001  2 minutes ago  ann@ann  <bold>delivered  </>shall we?',
  );
  expect(rows('to', message())).toBe('msg_000000000001  2 minutes ago  bob@bob  <bold>offered  </>shall we?');
  expect(rows('from', read)).toBe('msg_000000000001  2 minutes ago  ann@ann  delivered  tides    shall we?');
  expect(rows('to', message({ acked_at: 'T' }))).toBe(
    'msg_000000000001  2 minutes ago  bob@bob  offered  shall we?',
  );
  expect(viewed((page) => showMessages(page, [read], 'from', 'None.'), true)).toBe(
    'msg_000000000001\t2026-06-01T08:58:00.000Z\tann@ann\tdelivered\ttides\tshall we?',
  );
  expect(viewed((page) => showMessages(page, [], 'to', 'None.'))).toBe('None.');
});

test('one message: who, when, what it belongs to, and its whole text', () => {
  expect(viewed((page) => showMessage(page, message()))).toBe(`<bold>msg_000000000001</>  delivered
<dim>  From     </>ann@ann
<dim>  To       </>bob@bob
<dim>  Sent     </>2 minutes ago

  shall we?
  or not?`);
  const answer = message({ thread_id: 'thr_1', reply_to: 'msg_0', subject: 'tides' });
  expect(
    viewed((page) => showMessage(page, answer))
      .split('\n')
      .slice(3, 7),
  ).toEqual([
    '<dim>  Sent     </>2 minutes ago',
    '<dim>  Thread   </>thr_1',
    '<dim>  Answers  </>msg_0',
    '<dim>  Subject  </>tides',
  ]);
});

test('how far it provably came: every stage up to the last one, and why no further', () => {
  expect(viewed((page) => showProof(page, message()))).toBe(`<bold>msg_000000000001</>  to bob@bob
<dim>  Proven   </><green>stored → offered</>`);
  const late = message({
    proven_stage: 'stored',
    proven_stage_reason: 'asleep',
    delivery_route: 'inbox_direct',
    delivery_warning: 'nobody listens',
    send_at: '2026-06-01T10:00:00.000Z',
  });
  expect(viewed((page) => showProof(page, late))).toBe(`<bold>msg_000000000001</>  to bob@bob
<dim>  Proven   </><green>stored</>
<dim>  Because  </>asleep
<dim>  Route    </>inbox_direct
<dim>  At       </>2026-06-01T10:00:00.000Z (here ${shownHere('2026-06-01T10:00:00Z')})
<yellow>  ! nobody listens</>`);
});
