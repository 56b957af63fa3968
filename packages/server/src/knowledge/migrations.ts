import type { Dialect } from '../platform/database/database.ts';
import type { ModuleMigrations } from '../platform/database/migrations.ts';
import { step } from '../platform/database/step.ts';

/**
 * A file is a document or a task under its path. Its text is kept once, in the revision that wrote it; here stands what lists
 * and searches need of it.
 *
 * The index says which words are in which files. A word that is searched for may be any part of a word that is there, so each
 * known word is listed once for each place it can be entered at (`knowledge_suffixes`), and the words of each file stand
 * by their numbers in the full-text index of the database.
 */
export const knowledgeMigrations: ModuleMigrations = {
  module: 'knowledge',
  migrations: [
    step('001 create knowledge', tables),
    // Words are entered in another way than before: an index that was there has to be rebuilt.
    step('002 find files by their last change and words by their parts', (dialect) => [
      'CREATE INDEX knowledge_files_by_revision ON knowledge_files (owner_id, revision_id)',
      'UPDATE knowledge_files SET rebuilt_revision = NULL',
      ...['knowledge_indexes', 'knowledge_words', 'knowledge_suffixes'].map((name) => `DELETE FROM ${name}`),
      'DROP TABLE knowledge_postings',
      ...(dialect === 'sqlite' ? SQLITE_POSTINGS : SMALL_POSTGRES_POSTINGS),
    ]),
    // What waits to be put in order would be gone through by every search, and makes PostgreSQL rather read all files.
    postgresStep(
      '003 put words in order as they come',
      ['knowledge_postings_by_word', 'knowledge_postings_by_path_word'].flatMap((index) => [
        `ALTER INDEX ${index} SET (fastupdate = off)`,
        `SELECT gin_clean_pending_list('${index}')`,
      ]),
    ),
    // How often each word is there helps no plan, and takes PostgreSQL long to find out.
    postgresStep(
      '004 gather nothing about lists of words',
      ['words', 'path_words'].map(
        (name) => `ALTER TABLE knowledge_postings ALTER COLUMN ${name} SET STATISTICS 0`,
      ),
    ),
    step('005 index what is appended by itself', [
      `ALTER TABLE knowledge_files ADD COLUMN segments integer NOT NULL DEFAULT 0`,
    ]),
    step('006 sum up sizes without the rows', [
      `CREATE INDEX knowledge_files_by_size ON knowledge_files (owner_id, size)`,
    ]),
  ],
};

function postgresStep(name: string, statements: readonly string[]) {
  return step(name, (dialect) => (dialect === 'sqlite' ? [] : statements));
}

function tables(dialect: Dialect): string[] {
  const sqlite = dialect === 'sqlite';
  const float = sqlite ? 'real' : 'double precision';
  // Lists and ranges are in the order of characters, on both databases.
  const text = sqlite ? 'text' : 'text COLLATE "C"';
  const compact = sqlite ? ' WITHOUT ROWID' : '';
  return [
    `CREATE TABLE knowledge_files (
      id SERIAL,
      owner_id text NOT NULL,
      path ${text} NOT NULL,
      revision bigint NOT NULL,
      revision_id bigint NOT NULL,
      size bigint NOT NULL,
      modified_at bigint NOT NULL,
      peer_id text NOT NULL,
      indexable integer NOT NULL,
      type text NOT NULL,
      type_key text NOT NULL,
      importance ${float},
      importance_points bigint NOT NULL,
      tags text NOT NULL,
      snippet text NOT NULL,
      rebuilt_revision bigint
    )`,
    `CREATE UNIQUE INDEX knowledge_files_by_path ON knowledge_files (owner_id, path)`,
    `CREATE INDEX knowledge_files_by_time ON knowledge_files (owner_id, modified_at DESC, path) WHERE indexable = 1`,
    `CREATE INDEX knowledge_files_by_importance ON knowledge_files (owner_id, id) WHERE importance_points <> 0`,
    `CREATE TABLE knowledge_tasks (
      owner_id text NOT NULL,
      task_id ${text} NOT NULL,
      status text NOT NULL,
      owner_peer text NOT NULL,
      thread_id text,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL,
      task text NOT NULL,
      PRIMARY KEY (owner_id, task_id)
    )`,
    `CREATE INDEX knowledge_tasks_by_time ON knowledge_tasks (owner_id, updated_at, task_id)`,
    `CREATE INDEX knowledge_tasks_by_thread ON knowledge_tasks (owner_id, thread_id) WHERE thread_id IS NOT NULL`,
    `CREATE TABLE knowledge_indexes (
      id SERIAL,
      owner_id text NOT NULL UNIQUE,
      generation bigint NOT NULL,
      generated_at bigint,
      removed_count bigint NOT NULL
    )`,
    `CREATE TABLE knowledge_words (
      id SERIAL,
      index_id bigint NOT NULL,
      word ${text} NOT NULL,
      seen bigint NOT NULL,
      UNIQUE (index_id, word)
    )`,
    `CREATE TABLE knowledge_suffixes (
      index_id bigint NOT NULL,
      suffix ${text} NOT NULL,
      word_id bigint NOT NULL,
      PRIMARY KEY (index_id, suffix, word_id)
    )${compact}`,
    `CREATE INDEX knowledge_suffixes_of_word ON knowledge_suffixes (word_id)`,
    ...(sqlite ? SQLITE_POSTINGS : POSTGRES_POSTINGS),
  ];
}

const SQLITE_POSTINGS = [
  `CREATE VIRTUAL TABLE knowledge_postings USING fts5(
    path_words, words, content='', contentless_delete=1, detail=column, tokenize='ascii')`,
];

const POSTGRES_POSTINGS = [
  `CREATE TABLE knowledge_postings (
    file_id bigint PRIMARY KEY,
    path_words bigint[] NOT NULL,
    words bigint[] NOT NULL
  )`,
  // Who looks for a word wants the numbers of files: their lists of words stay out of the way.
  `ALTER TABLE knowledge_postings SET (toast_tuple_target = 128)`,
  `CREATE INDEX knowledge_postings_by_word ON knowledge_postings USING gin (words)`,
  `CREATE INDEX knowledge_postings_by_path_word ON knowledge_postings USING gin (path_words)`,
];

/**
 * Who looks for a word wants the numbers of the files that have it, and goes through their rows: there are many of them on a page
 * when the lists of words lie elsewhere. PostgreSQL moves nothing out of a row of less than 2 KB, hence the filling, which takes
 * hardly any room itself.
 */
const SMALL_POSTGRES_POSTINGS = [
  `CREATE TABLE knowledge_postings (
    file_id bigint PRIMARY KEY,
    path_words integer[] NOT NULL,
    words integer[] NOT NULL,
    filling text NOT NULL DEFAULT repeat(' ', 2000)
  )`,
  `ALTER TABLE knowledge_postings SET (toast_tuple_target = 128)`,
  `ALTER TABLE knowledge_postings ALTER COLUMN words SET STORAGE EXTERNAL`,
  `CREATE INDEX knowledge_postings_by_word ON knowledge_postings USING gin (words)`,
  `CREATE INDEX knowledge_postings_by_path_word ON knowledge_postings USING gin (path_words)`,
];
