import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { People } from '../../identity/testing/people.ts';
import { startChild } from '../../testing/child-program.ts';
import { describeEachDialect, freshTables } from '../../testing/databases.ts';
import type { Found } from '../testing/library.ts';

const ROUNDS = 3;
const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'lph', 'word', 'projects', 'only'];

describeEachDialect('the index › kill -9', (dialect) => {
  test('in the middle of a change leaves what a rebuild would make', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-test-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const place = dialect === 'postgres' ? await freshTables() : undefined;
    if (place) onTestFinished(() => place.remove());
    const args = [dataDir, ...(place ? [place.at.url] : [])];
    let key = '';
    for (let round = 0; round <= ROUNDS; round += 1) {
      const child = await startChild('serve-documents', args);
      onTestFinished(() => child.kill());
      const line = await child.until((each) => each.startsWith('listening '));
      const people = new People({ url: line.slice('listening '.length) });
      const post = <Body>(path: string, body?: unknown) => people.call<Body>('POST', path, { key, body });
      if (round === 0) {
        key = (await people.owner()).key;
        await post('/v1/index/rebuild');
      } else {
        const found = async () => {
          const answers = [];
          for (const query of WORDS)
            answers.push((await post<Found>('/v1/search', { query, limit: 100 })).body);
          return answers;
        };
        const left = await found();
        expect((await post('/v1/index/rebuild')).status).toBe(200);
        expect(left).toEqual(await found());
      }
      if (round === ROUNDS) {
        await child.kill();
        break;
      }
      let acked = 0;
      const writers = Array.from({ length: 6 }, async (_, writer) => {
        for (let n = 0; ; n += 1) {
          const words = WORDS.filter((_word, at) => (n + writer + at + round) % 3 === 0);
          const content = `${words.join(' ')} only${round}x${writer}x${n}`;
          await post('/v1/write', { path: `projects/w${writer}-${n % 9}.md`, content });
          await post('/v1/append', { path: `messages/w${writer}.jsonl`, record: { content } });
          if (writer === 0 && n % 3 === round) await post('/v1/index/rebuild');
          acked += 1;
        }
      });
      // They end with the server.
      const ended = Promise.allSettled(writers);
      await expect.poll(() => acked).toBeGreaterThan(30 + 13 * round);
      await child.kill();
      await ended;
    }
  }, 120_000);
});
