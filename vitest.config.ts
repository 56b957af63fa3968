import { defineConfig } from 'vitest/config';
import { SecondTries } from './scripts/second-tries.ts';

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source', 'node'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'bench/**/*.test.ts', 'scripts/**/*.test.ts'],
    pool: 'threads',
    isolate: false,
    // One more than the usual two cores: many tests wait for a process, a socket or a browser.
    maxWorkers: 3,
    // They tell what hangs, not what is slow: on a busy machine a browser or a shell may take many seconds.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    // Races are looked for on our own machines, where nothing is tried twice; where a run decides, one does not end it.
    retry: process.env.CI ? 1 : 0,
    globalSetup: ['packages/server/src/testing/global-setup.ts'],
    reporters: ['default', 'json', new SecondTries()],
    outputFile: { json: 'test-results/vitest.json' },
  },
});
