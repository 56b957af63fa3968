// `npm test`: the checks, then every suite; ends with one plain line `N passed, N failed`. `npm test -- --nodes=2`: the suites of the
// protocols against two nodes behind HAProxy.
import { existsSync, readFileSync } from 'node:fs';
import { check } from './check.mjs';
import { root, run } from './run.mjs';

const PROTOCOLS = ['channels', 'rooms', 'delivery', 'continuity'];

const overTwoNodes = process.argv.includes('--nodes=2');
const named = process.argv.slice(2).filter((argument) => argument !== '--nodes=2');
const only =
  overTwoNodes && named.length === 0 ? PROTOCOLS.map((name) => `packages/server/src/${name}/`) : named;
// What starts the databases of the tests is run as it was compiled, which the checks do.
const compiled = existsSync(`${root}/packages/protocol/dist`);
const checks = only.length === 0 ? await check() : compiled ? 0 : await run('tsc', ['-b']);
const tests = await run('vitest', ['run', ...only], overTwoNodes ? { TEST_NODES: '2' } : {});
const { numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests } = JSON.parse(
  readFileSync(`${root}/test-results/vitest.json`, 'utf8'),
);
const broken = numFailedTests === 0 && (tests !== 0 || checks !== 0) ? Math.max(1, numFailedTestSuites) : 0;
const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
process.stdout.write(`${numPassedTests} passed, ${numFailedTests + broken} failed${skipped}\n`);
process.exitCode = tests === 0 && checks === 0 ? 0 : 1;
