import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Questions and what is typed go to standard error: standard output holds the result alone. */
export async function ask(question: string, otherwise: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const shown = otherwise === '' ? '' : ` [${otherwise}]`;
    return (await terminal.question(`${question}${shown}: `)).trim() || otherwise;
  } finally {
    terminal.close();
  }
}

/** What is typed is not shown. */
export async function askSecret(question: string): Promise<string> {
  process.stderr.write(`${question}: `);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return (await terminal.question('')).trim();
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
