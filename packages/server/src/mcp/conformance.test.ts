import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { startServer } from '../testing/start-server.ts';
import { suiteServer } from '../testing/suite-server.ts';
import { NOT_APPLICABLE } from './testing/conformance-exceptions.ts';

const LOADER = fileURLToPath(new URL('testing/conformance-loader.mjs', import.meta.url));
const SUITE = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);
const LISTED = NOT_APPLICABLE.flatMap(({ scenarios }) => scenarios);

interface Outcome {
  readonly scenarios: readonly string[];
  /** As `scenario/check`. */
  readonly failed: readonly string[];
}

/** What came of every scenario that a revision of the protocol requires. */
async function outcomeOf(url: string, revision: string): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-conformance-'));
  try {
    const asked = ['server', '--url', url, '--requirements', revision, '-o', folder];
    await once(
      spawn(process.execPath, ['--import', LOADER, SUITE, ...asked], { cwd: folder, stdio: 'ignore' }),
      'close',
    );
    const results = readdirSync(folder).map((name) => ({
      scenario: name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, ''),
      checks: JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as {
        id: string;
        status: string;
      }[],
    }));
    const failed = results.flatMap(({ scenario, checks }) =>
      checks.flatMap(({ id, status }) => (status === 'FAILURE' ? [`${scenario}/${id}`] : [])),
    );
    return { scenarios: results.map(({ scenario }) => scenario), failed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const isListed = (check: string): boolean =>
  LISTED.includes(check) || LISTED.includes(check.split('/')[0] ?? '');

describe('mcp › official conformance suite', () => {
  const server = suiteServer(() => startServer({ rateLimits: false }));

  test('passes all that applies in both eras, and what does not apply is listed', {
    timeout: 180_000,
  }, async () => {
    const url = `${server.url}/v1/mcp`;
    const outcomes = [await outcomeOf(url, '2026-07-28'), await outcomeOf(url, '2025-11-25')];
    for (const { scenarios, failed } of outcomes) {
      expect(scenarios.length).toBeGreaterThan(25);
      expect(failed.filter((check) => !isListed(check))).toEqual([]);
    }
    const failed = new Set(
      outcomes.flatMap((outcome) => outcome.failed).flatMap((check) => [check, check.split('/')[0]]),
    );
    expect(LISTED.filter((entry) => !failed.has(entry))).toEqual([]);
  });
});
