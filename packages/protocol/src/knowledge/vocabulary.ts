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
export const CONTINUITY_MODES = ['auto', 'required', 'off'] as const;
export const VERIFICATION_POLICIES = ['allow_degraded', 'prefer_healthy', 'require_healthy'] as const;
export const RESILIENCE_POLICIES = ['allow_fallback', 'prefer_active', 'require_active'] as const;

/** Read at every retrieval, in this order. */
export const CORE_MEMORY = [
  'memory/core/identity.md',
  'memory/core/long_term_facts.json',
  'memory/core/values.md',
] as const;
