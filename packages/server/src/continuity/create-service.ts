import { RoughCount } from '../platform/limits/rough-count.ts';
import { errorFields } from '../platform/log.ts';
import { countArtifacts } from './artifacts/artifact-store.ts';
import type { Platform } from '../platform.ts';
import { Audit } from './audit.ts';
import type { MemoryContext } from './memory-context.ts';
import { ReadMarks } from './read/read-marks.ts';
import { RecentCapsules } from './artifacts/recent-capsules.ts';
import { forgetReplays } from './write/replays.ts';
import { ContinuityService } from './service.ts';
import { continuitySettings } from './settings.ts';
import { StartupSections } from './read/startup-sections.ts';
import { startupSummary } from './read/startup-summary.ts';

export function createContinuityService(
  platform: Pick<Platform, 'config' | 'clock' | 'database' | 'events' | 'jobs' | 'log'>,
): ContinuityService {
  const { clock, config, database, events, jobs, log } = platform;
  const failed = (event: string) => (error: unknown) => log.error(event, errorFields(error));
  const memory: MemoryContext = {
    clock,
    database,
    events,
    jobs,
    settings: continuitySettings(config),
    audit: new Audit(log),
    recent: new RecentCapsules(),
    documents: new RoughCount(clock, countArtifacts),
    onError: failed('continuity_write_failed'),
  };
  forgetReplays(jobs, database, () => clock.now());
  return new ContinuityService({
    memory,
    marks: new ReadMarks(database, clock, failed('continuity_marks_failed')),
    sections: new StartupSections(failed('startup_section_failed')),
    summary: startupSummary,
    onViewError: failed('continuity_view_failed'),
  });
}
