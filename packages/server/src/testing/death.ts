import type { Database, SqlQuery, Tx } from '../platform/database/database.ts';

/** Where a process ends, as a power cut would end it. */
export interface Death {
  /** Just before the first statement that this describes, values included. */
  readonly before?: string;
  /** Right after the commit of the first write with such a statement, before anybody hears of it. */
  readonly after?: string;
}

/** Makes every write of a database look out for its death. */
export function dieBy(database: Database, { before, after }: Death): void {
  const write = database.write.bind(database);
  const fatal = before === undefined ? undefined : new RegExp(before, 's');
  const last = after === undefined ? undefined : new RegExp(after, 's');
  database.write = (fn) =>
    write((tx) => {
      const see = ({ strings, values }: SqlQuery): void => {
        const text = `${strings.join('?')} ${JSON.stringify(values)}`;
        if (fatal?.test(text)) die();
        if (last?.test(text)) tx.afterCommit(die);
      };
      return fn(watched(tx, see));
    });
}

const die = (): void => void process.kill(process.pid, 'SIGKILL');

function watched(tx: Tx, see: (query: SqlQuery) => void): Tx {
  return {
    dialect: tx.dialect,
    all: (query) => (see(query), tx.all(query)),
    get: (query) => (see(query), tx.get(query)),
    value: (query) => (see(query), tx.value(query)),
    values: (query) => (see(query), tx.values(query)),
    total: (query) => (see(query), tx.total(query)),
    exists: (query) => (see(query), tx.exists(query)),
    run: (query) => (see(query), tx.run(query)),
    affects: (query) => (see(query), tx.affects(query)),
    kysely: () => tx.kysely(),
    beforeCommit: (step) => tx.beforeCommit(step),
    afterCommit: (hook) => tx.afterCommit(hook),
    lock: (name, waitMs) => tx.lock(name, waitMs),
    takeTime: () => tx.takeTime(),
  };
}
