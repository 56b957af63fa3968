import { expect, test } from 'vitest';
import * as limits from './limits.ts';

test('the limits of knowledge are those that clients were told', () => {
  expect({ ...limits }).toEqual({
    DOCUMENT_BYTES: 10_485_760,
    DOCUMENT_PATH_BYTES: 1_024,
    TASK_ID_CHARS: 200,
    TASKS_LIMIT: { least: 1, usual: 100, most: 500 },
    RESULTS_LIMIT: { least: 1, usual: 10, most: 100 },
    WINDOW_HOURS: { least: 1, most: 87_600 },
    WINDOW_DAYS: { least: 1, usual: 30, most: 3_650 },
    SELECTORS: 4,
    RETRIEVED_CAPSULES: { least: 1, usual: 1, most: 4 },
    RETRIEVED_TOKENS: { least: 256, usual: 12_000, most: 100_000 },
    INDEX_FRESH_SECONDS: 86_400,
  });
});
