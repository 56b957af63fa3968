// `npm test`: the checks, then every suite; ends with one plain line `N passed, N failed`.
import { readFileSync } from 'node:fs';
import { check } from './check.mjs';
import { root, run } from './run.mjs';

const only = process.argv.slice(2);
const checks = only.length > 0 ? 0 : await check();
const tests = await run('vitest', ['run', ...only]);
const { numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests } = JSON.parse(
  readFileSync(`${root}/test-results/vitest.json`, 'utf8'),
);
const broken = numFailedTests === 0 && (tests !== 0 || checks !== 0) ? Math.max(1, numFailedTestSuites) : 0;
const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
process.stdout.write(`${numPassedTests} passed, ${numFailedTests + broken} failed${skipped}\n`);
process.exitCode = tests === 0 && checks === 0 ? 0 : 1;
