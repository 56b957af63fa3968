import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportMemory } from '../continuity/git/export.ts';
import { GitProgram } from '../continuity/git/git-program.ts';
import { importFolder } from '../continuity/import/import.ts';
import { hostFolders } from '../memory-folders.ts';
import { systemClock } from '../platform/clock.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { describeWithGit, GitFolders } from '../testing/git.ts';
import { coordinationScene, must } from './testing/coordination-scene.ts';

describeWithGit('coordination › import', () => {
  describeEachServer('coordination › import', (start) => {
    const folders = new GitFolders();
    const scene = async () => {
      const home = await coordinationScene(start);
      const { a, b, server, owner, tenant } = home;
      const handoff = await a.handed('b', { task_id: 't' });
      must(await b.consume(handoff.handoff_id, { status: 'deferred' }));
      const shared = await a.shared({ participant_peers: ['b'] });
      must(await a.updateShared(shared.shared_id, 1, { title: 'später' }));
      const claims = ['a', 'b'].map((peer) => ({
        source_kind: 'handoff',
        source_id: handoff.handoff_id,
        claimant_peer: peer,
        claim_summary: 's',
        epistemic_status: 'frame_present',
      }));
      const opened = {
        task_id: 't',
        title: 't',
        classification: 'contradictory',
        trigger: 'handoff_vs_handoff',
        claims,
      };
      const { reconciliation } = must(await a.open(opened));
      const item = { kind: 'reminder', title: 'x', due_at: '2030-01-01T00:00:00Z', idempotency_key: 'k' };
      const made = await a.call('POST', '/schedule/items', item);
      const { schedule_id: scheduleId } = (made.body as unknown as { item: { schedule_id: string } }).item;
      const far = {
        peer_id: 'far',
        base_url: 'https://far.example',
        public_key: 'k',
        trust_level: 'trusted',
      };
      must(await home.admin.call('POST', '/peers/register', { ...far, allowed_scopes: ['search'] }));
      const directory = folders.folder();
      const { database, events } = server.context;
      const git = new GitProgram({ program: 'git', clock: systemClock });
      const exported = (id: string, into: string) =>
        exportMemory({ database, git, owner: { id, slug: 'max' }, directory: into });
      await exported(owner.id, directory);
      const other = await tenant();
      const take = (raw = false) =>
        importFolder({
          database,
          events,
          clock: home.clock,
          ownerId: other.owner.id,
          directory,
          others: hostFolders(),
          raw,
          once: false,
          peerId: 'self',
        });
      const ids = {
        handoff: handoff.handoff_id,
        shared: shared.shared_id,
        record: reconciliation.reconciliation_id,
      };
      return { home, other, directory, take, exported, item, scheduleId, ids };
    };

    test('another owner has what was exported, byte for byte, and may go on with it', async () => {
      const { home, other, directory, take, exported, item, scheduleId, ids } = await scene();
      // Its own capsule of the thread is newer than the exported one.
      rmSync(join(directory, 'memory/continuity'), { recursive: true });
      const report = await take();
      expect(report?.refused).toEqual([]);
      // Three artifacts, the reminder and the registry.
      expect(report?.imported).toHaveLength(5);
      const same = async (path: string) =>
        expect((await other.a.call('GET', path)).text).toBe((await home.a.call('GET', path)).text);
      await same(`/coordination/handoff/${ids.handoff}`);
      await same(`/coordination/shared/${ids.shared}`);
      await same(`/coordination/reconciliation/${ids.record}`);
      expect(must(await other.b.handoffs('?recipient_peer=b&status=deferred')).total_matches).toBe(1);
      expect(must(await other.b.reconciliations('?claimant_peer=b&task_id=t')).total_matches).toBe(1);
      await same(`/schedule/items/${scheduleId}`);
      await same('/peers');
      expect((await other.a.call('POST', '/schedule/items', item)).status).toBe(200);
      const again = folders.folder();
      await exported(other.owner.id, again);
      const files = folders.files(directory).filter((path) => /coordination|schedule|peers/.test(path));
      expect(files).toHaveLength(5);
      for (const path of files) {
        expect(readFileSync(join(again, path), 'utf8')).toBe(folders.git(directory, 'show', `main:${path}`));
      }
      expect(await take()).toMatchObject({ imported: [], unchanged: 5 });
      must(await other.a.updateShared(ids.shared, 2, { title: 'goes on' }));
      expect((await take())?.refused).toEqual([
        { path: `memory/coordination/shared/${ids.shared}.json`, error: 'a newer version of it is there' },
      ]);
    });

    test('a time in another spelling is kept as it stands, and put in order', async () => {
      const { other, directory, take, ids } = await scene();
      rmSync(join(directory, 'memory/continuity'), { recursive: true });
      const path = join(directory, `memory/coordination/handoffs/${ids.handoff}.json`);
      const handoff = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
      const exact = '2031-01-02T03:04:05.678901+00:00';
      writeFileSync(path, JSON.stringify({ ...handoff, created_at: exact }));
      await other.a.handed('b');
      expect((await take())?.refused).toEqual([]);
      const { handoffs } = must(await other.b.handoffs('?recipient_peer=b'));
      expect(handoffs.map(({ created_at: at }) => at)).toEqual([exact, '2026-04-01T12:00:00Z']);
    });

    test('what is none of it is refused, and then nothing is taken', async () => {
      const { other, directory, take, scheduleId, ids } = await scene();
      rmSync(join(directory, 'memory/continuity'), { recursive: true });
      const handoff = `memory/coordination/handoffs/${ids.handoff}.json`;
      const reminder = `memory/schedule/items/${scheduleId}.json`;
      writeFileSync(join(directory, handoff), '{"schema_type":"continuity_handoff"}');
      writeFileSync(
        join(directory, reminder),
        readFileSync(join(directory, reminder), 'utf8').replace('"kind":"reminder"', '"kind":"alarm"'),
      );
      writeFileSync(join(directory, 'memory/coordination/handoffs/notes.txt'), 'x');
      const report = await take();
      expect(report).toMatchObject({ imported: [], unknown: ['memory/coordination/handoffs/notes.txt'] });
      expect(report?.refused.map(({ path, error }) => [path, error])).toEqual([
        [handoff, 'not a handoff'],
        [reminder, 'not the JSON of a schedule item'],
      ]);
      expect(must(await other.admin.queryShared('?owner_peer=a')).total_matches).toBe(0);
      // As they are: what cannot be stored stays out, the rest comes in.
      expect((await take(true))?.imported).toHaveLength(3);
    });

    test('of a peer that is known already the later entry counts, and a registry that is none is refused', async () => {
      const { home, other, directory, take } = await scene();
      rmSync(join(directory, 'memory'), { recursive: true });
      const file = join(directory, 'peers/registry.json');
      const known = JSON.parse(readFileSync(file, 'utf8')) as { peers: Record<string, object> };
      const write = (peers: object) => writeFileSync(file, JSON.stringify({ ...known, peers }));
      const trustOf = async (name: string) => {
        const { body } = await other.a.call('GET', '/peers');
        const { peers } = body as unknown as { peers: { peer_id: string; trust_level: string }[] };
        return peers.find(({ peer_id: id }) => id === name)?.trust_level;
      };
      const entry = { ...known.peers['u'], trust_level: 'restricted' };
      const at = (days: number) =>
        `${new Date(home.clock.now() + days * 86_400_000).toISOString().slice(0, 19)}Z`;
      write({ u: { ...entry, updated_at: at(-1) }, other: { ...entry, updated_at: at(-1) } });
      expect(await take()).toMatchObject({ imported: ['peers/registry.json'], refused: [] });
      expect([await trustOf('u'), await trustOf('other')]).toEqual(['untrusted', 'restricted']);
      write({ u: { ...entry, updated_at: at(1) } });
      await take();
      expect([await trustOf('u'), await trustOf('other')]).toEqual(['restricted', 'restricted']);
      // Other programs spell times more exactly, and need not say when they last wrote.
      const exact = `${at(2).slice(0, 19)}.123456+00:00`;
      writeFileSync(
        file,
        JSON.stringify({ peers: { exact: { ...entry, created_at: exact, updated_at: exact } } }),
      );
      expect(await take()).toMatchObject({ imported: ['peers/registry.json'], refused: [] });
      expect((await other.a.call('GET', '/peers')).text).toContain(`"created_at":"${at(2)}"`);
      write({ u: { ...entry, updated_at: 'yesterday' } });
      expect((await take())?.refused).toHaveLength(1);
      write({ u: { trust_level: 'adored' } });
      expect(await take()).toMatchObject({
        imported: [],
        refused: [{ path: 'peers/registry.json', error: 'not a registry of peers' }],
      });
    });
  });
});
