import { expect, test } from 'vitest';
import { exportMemory } from '../continuity/git/export.ts';
import { GitProgram } from '../continuity/git/git-program.ts';
import { systemClock } from '../platform/clock.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { describeWithGit, GitFolders } from '../testing/git.ts';
import { coordinationScene, must } from './testing/coordination-scene.ts';

describeWithGit('coordination › as git', () => {
  describeEachServer('coordination › as git', (start) => {
    const folders = new GitFolders();

    test('artifacts, reminders and peers lie beside the capsules, as they are answered, and every change is a commit', async () => {
      const { a, b, owner, server } = await coordinationScene(start);
      const handoff = await a.handed('b', { note: 'look', commit_message: 'over to b' });
      const shared = await a.shared({ participant_peers: ['b'] });
      const { shared: updated } = must(await a.updateShared(shared.shared_id, 1, { title: 'später' }));
      const { handoff: consumed } = must(await b.consume(handoff.handoff_id, { status: 'deferred' }));
      const reminded = await a.call('POST', '/schedule/items', {
        kind: 'reminder',
        title: 'x',
        due_at: '2030-01-01T00:00:00Z',
        metadata: { b: 1, a: 'é' },
      });
      const { item } = reminded.body as unknown as { item: { schedule_id: string } };
      const directory = folders.folder();
      const { database } = server.context;
      const git = new GitProgram({ program: 'git', clock: systemClock });
      await exportMemory({ database, git, owner: { id: owner.id, slug: owner.slug }, directory });
      const at = (path: string): string => folders.git(directory, 'show', `main:${path}`);
      expect(at(`memory/coordination/handoffs/${handoff.handoff_id}.json`)).toBe(JSON.stringify(consumed));
      expect(at(`memory/coordination/shared/${shared.shared_id}.json`)).toBe(JSON.stringify(updated));
      expect(JSON.parse(at(`memory/schedule/items/${item.schedule_id}.json`))).toMatchObject({
        title: 'x',
        create_identity_json: expect.stringContaining('"metadata":{"a":"é","b":1}'),
      });
      expect(JSON.parse(at('peers/registry.json'))).toMatchObject({
        peers: { u: { trust_level: 'untrusted' } },
      });
      const log = folders.log(directory, '%an %s');
      expect(log).toContain('a over to b');
      expect(log).toContain(`b coordination: handoff consume ${handoff.handoff_id}`);
      expect(log).toContain(`a schedule: create ${item.schedule_id}`);
      expect(folders.git(directory, 'fsck', '--strict', '--no-dangling')).toBe('');
    });
  });
});
