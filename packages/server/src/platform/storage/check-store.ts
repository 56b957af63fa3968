import { Worker } from 'node:worker_threads';
import { bindingModule } from '../database/sqlite/binding.ts';

/** `quick` leaves out what only an index could be wrong about. */
export type StoreCheck = 'quick' | 'full';

const MOST_PROBLEMS = 20;

/** Runs beside the server: a check reads the whole file, which takes minutes where there are gigabytes. */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require(workerData.module);
const problems = [];
try {
  const database = new DatabaseSync(workerData.file, { readOnly: true, timeout: 5000 });
  const rows = database.prepare('PRAGMA ' + workerData.pragma + '(${MOST_PROBLEMS})').all();
  for (const row of rows) for (const text of Object.values(row)) if (text !== 'ok') problems.push(String(text));
  database.close();
} catch (error) {
  problems.push(error.message);
}
parentPort.postMessage(problems);
`;

/** What is wrong with a SQLite file, in its own words; nothing for a sound one. */
export function checkStore(file: string, check: StoreCheck): Promise<string[]> {
  const pragma = check === 'quick' ? 'quick_check' : 'integrity_check';
  const worker = new Worker(PROGRAM, { eval: true, workerData: { file, pragma, module: bindingModule() } });
  worker.unref();
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the check of the store ended early (${code})`)));
  });
}
