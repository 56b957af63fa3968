// Names the tests that were not run, each with the reason it gave.
import type { Reporter } from 'vitest/node';

export const notRun: Reporter = {
  onTestRunEnd(modules) {
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const result = test.result();
        if (result.state !== 'skipped' || result.note === undefined) continue;
        process.stdout.write(`not run: ${module.relativeModuleId} > ${test.fullName}: ${result.note}\n`);
      }
    }
  },
};
