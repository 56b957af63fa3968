// Names the tests that passed only when they were tried again (`retry` in vitest.config.ts, on CI only).
import type { Reporter } from 'vitest/node';

export const secondTries: Reporter = {
  onTestRunEnd(modules) {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (!test.diagnostic()?.flaky) continue;
        process.stdout.write(
          `passed only at the second try: ${module.relativeModuleId} > ${test.fullName}\n`,
        );
      }
    }
  },
};
