import { resolve } from 'node:path';
import type { IdentityService } from '../../identity/service.ts';
import type { Platform } from '../../platform.ts';
import type { ContinuityService } from '../service.ts';
import { MemoryMirror } from './mirror.ts';
import { mirrorTelemetry } from './mirror-telemetry.ts';

export function createMemoryMirror(
  platform: Pick<Platform, 'config' | 'clock' | 'database' | 'health' | 'log' | 'metrics'>,
  identity: IdentityService,
  continuity: ContinuityService,
): MemoryMirror | undefined {
  const { config, clock, database, health, log, metrics } = platform;
  if (config.memoryMirror === undefined) return undefined;
  const mirror = new MemoryMirror({
    database,
    clock,
    log,
    telemetry: mirrorTelemetry(metrics, health),
    directory: resolve(config.memoryMirror),
    gitProgram: config.gitProgram,
    slugOf: async (id) => (await identity.directory.ownerSlugs(database.read, [id])).get(id),
  });
  continuity.onChanged((ownerId) => mirror.touched(ownerId));
  return mirror;
}
