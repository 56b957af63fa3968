import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source', 'node'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'bench/**/*.test.ts', 'scripts/**/*.test.ts'],
    pool: 'threads',
    isolate: false,
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Its own default of one second is shorter than a busy machine takes to open a page.
    expect: { poll: { timeout: 15_000 } },
    globalSetup: ['packages/server/src/testing/global-setup.ts'],
    reporters: process.env.CI ? ['default', 'json'] : ['default', 'json'],
    outputFile: { json: 'test-results/vitest.json' },
  },
});
