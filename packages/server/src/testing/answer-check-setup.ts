import { afterAll, afterEach } from 'vitest';
import { takeDifferences } from './answer-check.ts';

/** Fails the test during which an answer differed from its declaration. */
function refuseDifferences(): void {
  const differences = takeDifferences();
  if (differences.length > 0) {
    throw new Error(
      `answers differ from what packages/protocol declares:\n${[...new Set(differences)].slice(0, 20).join('\n')}`,
    );
  }
}

afterEach(refuseDifferences);
afterAll(refuseDifferences);
