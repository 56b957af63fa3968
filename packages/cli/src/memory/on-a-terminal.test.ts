import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  daysAgo,
  type Memory,
  type MemoryServer,
  NOW,
  startMemory,
} from '@parley/server/continuity/testing/memory';
import { startServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runHere } from '../testing/run-here.ts';
import { tagged } from '../testing/tagged.ts';

describe('parley memory on a terminal', () => {
  let server: MemoryServer;
  let memory: Memory;
  let home: string;

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    home = mkdtempSync(join(tmpdir(), 'parley-terminal-'));
    server = await startMemory(startServer);
    memory = await server.owner();
    const descriptor = { label: 'Tide cache', keywords: ['tides'] };
    await memory.store('thread', 'tides', { thread_descriptor: descriptor }, daysAgo(2));
    const later = { thread_descriptor: descriptor, continuity: { top_priorities: ['ship the cache'] } };
    await memory.store('thread', 'tides', later, daysAgo(1));
    await memory.store('user', 'stef', {}, daysAgo(50));
    await memory.store('task', 'done', {}, daysAgo(1));
    const reason = 'over and done';
    await memory.call('archive', { subject_kind: 'task', subject_id: 'done', reason });
    const closed = { label: 'Old', keywords: ['old'] };
    await memory.store('thread', 'old', { thread_descriptor: closed }, daysAgo(1));
    await memory.call('archive', { subject_kind: 'thread', subject_id: 'old', reason });
  });
  afterAll(async () => {
    vi.useRealTimers();
    await server.server.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** With the name of each style around its text, and `TIME` for what is in the path of an archive. */
  async function shown(...words: string[]): Promise<string> {
    const env = { PARLEY_URL: server.server.url, HOME: home, TERM: 'xterm' };
    const { code, stdout, stderr } = await runHere(['memory', ...words, '--stdin'], memory.key, env, 160);
    expect([code, stderr]).toEqual([0, '']);
    return tagged(stdout).replaceAll(/20\d{6}T\d{6}Z/g, 'TIME');
  }

  test('list is a table, and what it says beside the rows stands below them', async () => {
    expect(await shown('list')).toBe(`\
<bold>SUBJECT       </><bold>STATE   </><bold>FRESHNESS   </><bold>HEALTH   </><bold>VERIFIED    </><bold>UPDATED      </><bold>LABEL</>
thread/tides  active  <green>fresh       </><green>healthy  </><yellow>unverified  </>1 day ago    Tide cache
user/stef     active  <yellow>stale hard  </><green>healthy  </><yellow>unverified  </>50 days ago

<dim>2 capsules</>
`);
    expect(await shown('list', '--kind', 'user')).toBe(`\
<bold>SUBJECT    </><bold>STATE   </><bold>FRESHNESS   </><bold>HEALTH   </><bold>VERIFIED    </><bold>UPDATED</>
user/stef  active  <yellow>stale hard  </><green>healthy  </><yellow>unverified  </>50 days ago

<dim>1 capsule</>
`);
    expect(await shown('list', '--archived', '--kind', 'thread')).toBe(`\
<bold>SUBJECT       </><bold>STATE     </><bold>FRESHNESS  </><bold>HEALTH   </><bold>VERIFIED    </><bold>UPDATED    </><bold>LABEL</>
thread/old    <dim>archived  </><green>fresh      </><green>healthy  </><yellow>unverified  </>1 day ago  Old
  <dim>memory/continuity/archive/thread-old-TIME.json</>
thread/tides  active    <green>fresh      </><green>healthy  </><yellow>unverified  </>1 day ago  Tide cache

<dim>2 capsules</>
`);
    expect(await shown('list', '--kind', 'task')).toBe('No capsules.\n');
    expect(await shown('list', '--limit', '1')).toMatch(
      /\n<dim>1 capsule<\/>\n<dim>More with --cursor \S+<\/>\n$/,
    );
  });

  test('show says in colours what is to be trusted, and the startup view is in its own order', async () => {
    expect(await shown('show', 'user/stef')).toBe(`\
<bold>user/stef</>
<dim>memory/continuity/user-stef.json</>
updated 2026-02-10T12:00:00Z (50 days ago) by acceptance (manual)

<yellow>  ! It was verified 50 days ago and good for 30 days; check before you rely on it.</>

<bold>Trust</>
<dim>  Recency       </><yellow>stale: last verified 50 days ago, good for 30 days</>
<dim>  Verification  </><yellow>unverified: nobody has confirmed it since it was written</>
<dim>  Health        </><green>healthy</>
<dim>  Completeness  </><green>enough to carry on from; empty or short: drift signals</>
<dim>  Scope         </><green>exact: the active capsule of this subject</>
<dim>  Confidence    </>0.9 in the continuity, 0.5 in the relationship, as its author says

<bold>Stance summary</>
  Hold the parser work steady and finish the review before new scope.

<bold>Top priorities</>
  - finish parser

<bold>Active constraints</>
  - no new dependencies

<bold>Open loops</>
  - answer review

<bold>Active concerns</>
  - flaky build
`);
    expect(await shown('show', 'thread/tides', '--startup')).toBe(`\
<bold>thread/tides: Tide cache</>
<dim>memory/continuity/thread-tides.json</>
active; updated 2026-03-31T12:00:00Z (1 day ago) by acceptance (manual)

<bold>Trust</>
<dim>  Recency       </><green>fresh: last verified 1 day ago, good for 30 days</>
<dim>  Verification  </><yellow>unverified: nobody has confirmed it since it was written</>
<dim>  Health        </><green>healthy</>
<dim>  Completeness  </><green>enough to carry on from; empty or short: drift signals</>
<dim>  Scope         </><green>exact: the active capsule of this subject</>
<dim>  Confidence    </>0.9 in the continuity, 0.5 in the relationship, as its author says

<bold>Stance summary</>
  Hold the parser work steady and finish the review before new scope.

<bold>Top priorities</>
  - ship the cache

<bold>Active constraints</>
  - no new dependencies

<bold>Open loops</>
  - answer review

<bold>Active concerns</>
  - flaky build
`);
  });

  test('history, diff and search say what is beside their rows on the page itself', async () => {
    expect(await shown('history', 'thread/tides', '--limit', '1')).toBe(`\
<bold>2 2026-04-01T12:00:00Z upsert by self</>
  continuity: upsert thread tides
<dim>  changed: top priorities</>

<dim>Older with --before 2</>
`);
    expect(await shown('diff', 'thread/tides')).toBe(`\
<bold>thread/tides: revision 1 → revision 2</>

<bold>Updated at</>
<red>  - 2026-03-30T12:00:00Z</>
<green>  + 2026-03-31T12:00:00Z</>

<bold>Top priorities</>
<red>  - finish parser</>
<green>  + ship the cache</>
`);
    expect(await shown('search', 'parser')).toBe(`\
<bold>user/stef</>
<dim>  active, stale hard, healthy</>
  - Top priorities: finish parser
  - Stance summary: Hold the parser work steady and finish the review before new scope.

<bold>thread/tides: Tide cache</>
<dim>  active, fresh, healthy</>
  - Stance summary: Hold the parser work steady and finish the review before new scope.
`);
    expect(await shown('search', 'zebra')).toBe('No capsule says zebra\n');
  });
});
