import { SUBJECT_LOCK_MS } from '@parley/protocol/continuity/limits';
import type { IdentityService } from '../identity/service.ts';
import type { Module } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import { artifacts } from './artifacts/artifact-table.ts';
import { MemoryMirror } from './git/mirror.ts';
import { ContinuityService } from './service.ts';
import { auditIn } from './audit.ts';
import type { MemoryContext } from './memory-context.ts';
import { ReadMarks } from './read/read-marks.ts';
import { RecentCapsules } from './artifacts/recent-capsules.ts';
import { forgetReplays } from './write/replays.ts';
import { StartupSections } from './read/startup-sections.ts';
import { startupSummary } from './read/startup-summary.ts';
import { resolve } from 'node:path';
import { mirrorTelemetry } from './git/mirror-telemetry.ts';
import { BootImport } from './import/boot-import.ts';
import type { ForeignFolder } from './import/foreign-folder.ts';
import { budgetsOf } from '../config/budgets.ts';
import { OwnerBudget } from '../config/owner-budget.ts';
import { importSources } from '../config/import-sources.ts';

/** Capsules, the folders they are taken over from at start, and the git repositories they are mirrored to. */
export interface ContinuityModule extends Module {
  readonly service: ContinuityService;
  /** Undefined unless the operator asked for one. */
  readonly mirror: MemoryMirror | undefined;
}

export function createContinuityModule(platform: Platform, identity: IdentityService): ContinuityModule {
  const service = createContinuityService(platform);
  identity.hooks.held.push(async (ownerId) => ({
    documents: await service.memory.documents.count(platform.database.read, ownerId),
  }));
  const boot = createBootImport(platform, identity, service.folders);
  const mirror = createMemoryMirror(platform, identity, service);
  return {
    service,
    mirror,
    async start() {
      await boot.start();
      await mirror?.start();
    },
    release: () => undefined,
    async close() {
      await mirror?.close();
      await service.close();
    },
  };
}

export function createContinuityService(
  platform: Pick<Platform, 'config' | 'clock' | 'database' | 'events' | 'jobs' | 'log'> & {
    readonly cluster: Pick<Platform['cluster'], 'others'>;
  },
): ContinuityService {
  const { clock, cluster, config, database, events, jobs, log } = platform;
  const nodes = (): number => cluster.others().length + 1;
  const budgets = budgetsOf(config);
  const documents = new OwnerBudget(clock, budgets.documents, nodes);
  documents.addRows(artifacts);
  const memory: MemoryContext = {
    clock,
    database,
    events,
    jobs,
    settings: {
      archiveDays: config.continuityRetentionArchiveDays,
      revisionsKept: config.continuityRevisionsKept,
      lockMs: SUBJECT_LOCK_MS,
    },
    audit: auditIn(log, 'continuity'),
    recent: new RecentCapsules(),
    documents,
    documentBytes: new OwnerBudget(clock, budgets.documentBytes, nodes),
    onError: log.failed('continuity_write_failed'),
  };
  forgetReplays(jobs, () => clock.now());
  return new ContinuityService({
    memory,
    marks: new ReadMarks(database, clock, log.failed('continuity_marks_failed')),
    sections: new StartupSections(log.failed('startup_section_failed')),
    summary: startupSummary,
    onViewError: log.failed('continuity_view_failed'),
  });
}

const CHANGED = 'continuity.changed';

function createMemoryMirror(
  platform: Platform,
  identity: IdentityService,
  continuity: ContinuityService,
): MemoryMirror | undefined {
  const { bus, config, database, health, metrics } = platform;
  if (config.memoryMirror === undefined) return undefined;
  const mirror = new MemoryMirror({
    ...platform,
    telemetry: mirrorTelemetry(metrics, health),
    directory: resolve(config.memoryMirror),
    gitProgram: config.gitProgram,
    slugOf: async (id) => (await identity.directory.ownerSlugs(database.read, [id])).get(id),
  });
  // Whichever node writes, the one that keeps the mirror hears of it.
  bus.subscribe(CHANGED, (ownerId) => mirror.touched(ownerId));
  continuity.onChanged((ownerId) => bus.publish(CHANGED, ownerId));
  return mirror;
}

function createBootImport(
  platform: Platform,
  identity: IdentityService,
  others: readonly ForeignFolder[],
): BootImport {
  const boot = new BootImport({
    ...platform,
    others,
    sources: importSources(platform.config.memoryImport),
    ownerBySlug: (slug) => identity.ownerBySlug(slug),
    openToAll: identity.registrationMode === 'open',
    oldestOwners: (limit) => identity.oldestOwners(limit),
  });
  identity.hooks.ownerCreated.push((owner) => boot.ownerCreated(owner));
  return boot;
}
