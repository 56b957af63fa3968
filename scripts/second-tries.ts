import type { Reporter, TestModule } from 'vitest/node';

/** Names the tests that passed only when tried again, so that a race is not forgotten because the run is green. */
export class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (test.diagnostic()?.flaky !== true) continue;
        process.stdout.write(`passed only when tried again: ${module.relativeModuleId} > ${test.fullName}\n`);
        for (const { message } of test.result().errors ?? []) process.stdout.write(`  ${message}\n`);
      }
    }
  }
}
