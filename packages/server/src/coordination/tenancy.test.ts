import { COORDINATION_ROUTES } from '@parley/protocol/coordination/routes';
import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import { type CoordinationPeer, coordinationScene, must, ZEROS } from './testing/coordination-scene.ts';

/** Bodies that get past the shape, so that the answer is about whose it is. */
const BODIES: Readonly<Record<string, object>> = {
  'coordination.handoff_consume': { status: 'rejected' },
  'coordination.shared_update': { expected_version: 1, title: 'x' },
  'coordination.reconciliation_resolve': {
    expected_version: 1,
    outcome: 'rejected',
    resolution_summary: 's',
  },
  'peers.trust': { trust_level: 'untrusted', reason: 'because' },
};

describeEachServer('coordination › another owner', (start) => {
  let eve: CoordinationPeer;
  let ids: Record<string, string>;
  let before: () => Promise<unknown>;

  beforeAll(async () => {
    const { a, admin, tenant } = await coordinationScene(start);
    const { handoff_id: handoff } = await a.handed('b');
    const { shared_id: shared } = await a.shared({ participant_peers: ['b'] });
    const claims = ['a', 'b'].map((peer) => ({
      source_kind: 'handoff',
      source_id: handoff,
      claimant_peer: peer,
      claim_summary: 's',
      epistemic_status: 'frame_present',
    }));
    const opened = await a.open({
      task_id: 't',
      title: 't',
      classification: 'contradictory',
      trigger: 'handoff_vs_handoff',
      claims,
    });
    const { reconciliation_id: reconciliation } = must(opened).reconciliation;
    must(await admin.register('only-here'));
    ids = { handoff_id: handoff, shared_id: shared, reconciliation_id: reconciliation, peer_id: 'only-here' };
    const other = await tenant();
    // An administrator there, of the same names: nothing but the owner stands between.
    eve = other.admin;
    before = async () =>
      await Promise.all([
        a.handoff(handoff),
        a.readShared(shared),
        a.reconciliation(reconciliation),
        a.call('GET', '/peers'),
      ]).then((answers) => answers.map(({ text }) => text));
  });

  const one = COORDINATION_ROUTES.filter(({ path }) => path.includes('{'));
  const unknown: Record<string, string> = {
    handoff_id: `handoff_${ZEROS}`,
    shared_id: `shared_${ZEROS}`,
    reconciliation_id: `recon_${ZEROS}`,
    peer_id: 'nobody',
  };

  test.each(one.map((route) => [route.method, route.path, route] as const))(
    '%s %s answers as for what does not exist',
    async (method, path, route) => {
      const [, name = ''] = /\{(\w+)\}/.exec(path) ?? [];
      const ask = async (id: string) => {
        const { status, text } = await eve.call(
          method,
          path.slice(3).replace(`{${name}}`, id),
          BODIES[route.name],
        );
        return { status, said: text.replaceAll(id, '<id>') };
      };
      const seen = await before();
      const foreign = await ask(ids[name] ?? '');
      expect(foreign).toEqual(await ask(unknown[name] ?? ''));
      expect(foreign.status).toBe(404);
      expect(await before()).toEqual(seen);
    },
  );

  test('lists show none of it', async () => {
    const lists = [
      await eve.handoffs('?sender_peer=a'),
      await eve.queryShared('?owner_peer=a'),
      await eve.reconciliations('?owner_peer=a'),
      await eve.call('GET', '/peers'),
    ];
    for (const { status, text } of lists) {
      expect(status).toBe(200);
      for (const id of Object.values(ids)) expect(text).not.toContain(id);
    }
  });
});
