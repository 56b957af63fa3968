import { defineConfig } from 'vitest/config';
import { notRun } from './scripts/not-run.ts';
import { secondTries } from './scripts/second-tries.ts';

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source', 'node'] } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'bench/**/*.test.ts',
      'torture/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    pool: 'threads',
    isolate: false,
    // One more than the usual two cores: many tests wait for a process, a socket or a browser.
    maxWorkers: 3,
    // They tell what hangs, not what is slow: on a busy machine a browser or a shell may take many seconds.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000, interval: 10 } },
    setupFiles: [
      'packages/server/src/testing/answer-check-setup.ts',
      ...(process.env.RECORD_STATEMENTS ? ['packages/server/src/testing/previous/record-setup.ts'] : []),
      ...(process.env.TEST_NODES === '2' ? ['packages/server/src/testing/two-nodes-setup.ts'] : []),
    ],
    globalSetup: ['packages/server/src/testing/global-setup.ts'],
    // A landing is not lost to one race, but the race is named at the end: a name there is a fault to mend.
    retry: process.env.CI ? 1 : 0,
    reporters: ['default', 'json', notRun, secondTries],
    outputFile: { json: 'test-results/vitest.json' },
  },
});
