import { expect, test } from 'vitest';
import * as limits from './limits.ts';

test('the limits of coordination are those that clients were told', () => {
  expect({ ...limits }).toEqual({
    PEER_CHARS: 200,
    LINK_CHARS: 200,
    NOTE_CHARS: 240,
    COMMIT_MESSAGE_CHARS: 120,
    TITLE_CHARS: 120,
    SUMMARY_CHARS: 240,
    PARTICIPANTS: 8,
    SHARED_ITEMS: { items: 8, chars: 160 },
    CLAIMS: { least: 2, most: 4 },
    SOURCE_ID_CHARS: 64,
    EVIDENCE_REFS: { items: 4, chars: 160 },
    QUERY_LIMIT: { least: 1, usual: 20, most: 100 },
    TRUST_REASON_CHARS: { least: 3, most: 500 },
    ARTIFACT_LOCK_MS: 30_000,
  });
});
