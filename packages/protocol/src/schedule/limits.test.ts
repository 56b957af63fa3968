import { expect, test } from 'vitest';
import * as limits from './limits.ts';

test('the limits of schedule are those that clients were told', () => {
  expect({ ...limits }).toEqual({
    TITLE_CHARS: 160,
    NOTE_CHARS: 1_000,
    REASON_CHARS: 500,
    LINK_CHARS: 200,
    METADATA_BYTES: 2_048,
    LIST_LIMIT: { least: 1, usual: 50, most: 200 },
    LIST_OFFSET: { least: 0, usual: 0, most: 10_000 },
    DUE_LIMIT: { least: 1, usual: 10, most: 100 },
    UPCOMING_LIMIT: { least: 0, usual: 5, most: 100 },
    UPCOMING_WINDOW_HOURS: { least: 1, usual: 72, most: 720 },
  });
});
