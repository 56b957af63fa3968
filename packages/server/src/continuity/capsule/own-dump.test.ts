import * as fc from 'fast-check';
import { SUBJECT_KINDS } from '@parley/protocol/continuity/vocabulary';
import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { anyCapsule } from '../testing/any-capsule.ts';
import { T } from '../testing/base-capsule.ts';
import { type Memory, type MemoryServer, startMemory } from '../testing/memory.ts';

describeEachServer('continuity › always › a capsule sent back as it was read', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  let count = 0;
  beforeAll(async () => {
    home = await startMemory(start);
    memory = await home.owner();
  });

  test.each(SUBJECT_KINDS)(
    '%s: preserving it at a later time changes its time and nothing else',
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(anyCapsule(kind, 'any', T(1)), async (sent) => {
          const id = `any${++count}`;
          await memory.store(kind, id, { ...sent, subject_id: id }, T(1));
          const dump = await memory.capsule(kind, id);
          const { body } = await memory.upsert({ ...dump, updated_at: T(2) }, { merge_mode: 'preserve' });
          expect(body).toMatchObject({ created: false, updated: true, normalizations_applied: [] });
          expect(await memory.capsule(kind, id)).toEqual({ ...dump, updated_at: T(2) });
          const { revisions } = (
            await memory.call<{ revisions: { changed_fields: string[] }[] }>('history', {
              subject_kind: kind,
              subject_id: id,
              limit: 1,
            })
          ).body;
          expect(revisions[0]?.changed_fields).toEqual(['updated_at']);
          const again = await memory.upsert({ ...dump, updated_at: T(2) }, { merge_mode: 'preserve' });
          expect(again.body).toMatchObject({ created: false, updated: false });
        }),
        { numRuns: 20 },
      );
    },
  );
});
