/** First segments a document's path may have. */
export const DOCUMENT_FOLDERS = [
  'journal',
  'essays',
  'projects',
  'memory',
  'messages',
  'docs',
  'snapshots',
  'patches',
  'runs',
  'archive',
  'tasks',
  'peers',
  'index',
  'config',
  'logs',
  'backups',
] as const;

/** What the server keeps for itself: nobody writes there. */
export const MANAGED_FOLDERS = [
  'tasks',
  'peers',
  'index',
  'config',
  'logs',
  'backups',
  'memory/continuity',
  'memory/coordination',
  'memory/schedule',
] as const;

export const TASK_STATUSES = ['open', 'in_progress', 'blocked', 'done'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const SORTS = ['relevance', 'recent'] as const;
