import type { z } from 'zod';
import { declareRoute } from '../route.ts';
import * as schemas from './system-schemas.ts';

export const consoleSystem = declareRoute({
  name: 'console_system',
  method: 'GET',
  path: '/v1/console/system',
  auth: 'operator',
  summary: 'How the server is: store, queues, nodes, memory, disk, with the last hour. For operators.',
  success: 200,
  answer: schemas.systemAnswer,
});

export const consoleSettings = declareRoute({
  name: 'console_settings',
  method: 'GET',
  path: '/v1/console/settings',
  auth: 'operator',
  summary:
    'Every setting with its value and where that came from; secrets are only said to be set. For operators.',
  success: 200,
  answer: schemas.settingsAnswer,
});

export const consoleDeadJobs = declareRoute({
  name: 'console_dead_jobs',
  method: 'GET',
  path: '/v1/console/jobs/dead',
  auth: 'operator',
  summary: 'Background jobs that gave up, newest first. For operators.',
  success: 200,
  answer: schemas.deadJobsAnswer,
});

export const consoleDeadJobRetry = declareRoute({
  name: 'console_dead_job_retry',
  method: 'POST',
  path: '/v1/console/jobs/dead/{id}/retry',
  auth: 'operator',
  summary: 'Let a job that gave up begin anew. For operators.',
  success: 200,
  answer: schemas.jobRetried,
});

export const consoleDeadJobDrop = declareRoute({
  name: 'console_dead_job_drop',
  method: 'DELETE',
  path: '/v1/console/jobs/dead/{id}',
  auth: 'operator',
  summary: 'Forget a job that gave up. For operators.',
  success: 204,
});

export const consoleBackups = declareRoute({
  name: 'console_backups',
  method: 'GET',
  path: '/v1/console/backup',
  auth: 'operator',
  summary: 'Copies of the store that were made here, newest first. For operators.',
  success: 200,
  answer: schemas.backupsAnswer,
});

export const consoleBackupMake = declareRoute({
  name: 'console_backup_make',
  method: 'POST',
  path: '/v1/console/backup',
  auth: 'operator',
  summary: 'Copy the store into the folder backups of the data folder; the three newest stay. For operators.',
  success: 201,
  answer: schemas.backupMade,
});

export const consoleBackupRead = declareRoute({
  name: 'console_backup_read',
  method: 'GET',
  path: '/v1/console/backup/{name}',
  auth: 'operator',
  summary: 'Download a copy of the store. For operators who may read what owners wrote.',
  success: 200,
  media: 'application/octet-stream',
});

export const consoleInviteMake = declareRoute({
  name: 'console_invite_make',
  method: 'POST',
  path: '/v1/console/invites',
  auth: 'operator',
  summary: 'A code that lets one registration in; shown once. For operators.',
  success: 201,
  answer: schemas.inviteMade,
});

export const consoleLogLevel = declareRoute({
  name: 'console_log_level',
  method: 'PUT',
  path: '/v1/console/log-level',
  auth: 'operator',
  summary: 'What is written to the log until the next start. For operators.',
  body: schemas.logLevelAsked,
  success: 200,
  answer: schemas.logLevelSet,
});

export const CONSOLE_SYSTEM_ROUTES = [
  consoleSystem,
  consoleSettings,
  consoleDeadJobs,
  consoleDeadJobRetry,
  consoleDeadJobDrop,
  consoleBackups,
  consoleBackupMake,
  consoleBackupRead,
  consoleInviteMake,
  consoleLogLevel,
] as const;

export type SystemAnswer = z.infer<typeof schemas.systemAnswer>;
export type ServerSettingsAnswer = z.infer<typeof schemas.settingsAnswer>;
export type DeadJobsAnswer = z.infer<typeof schemas.deadJobsAnswer>;
export type BackupsAnswer = z.infer<typeof schemas.backupsAnswer>;
export type BackupMadeAnswer = z.infer<typeof schemas.backupMade>;
export type InviteMadeAnswer = z.infer<typeof schemas.inviteMade>;
