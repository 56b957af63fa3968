import type { IdentityService } from '../../identity/service.ts';
import type { Platform } from '../../platform.ts';
import { BootImport } from './boot-import.ts';
import { importSources } from '../../config/import-sources.ts';

export function createBootImport(
  {
    config,
    clock,
    database,
    events,
    log,
  }: Pick<Platform, 'config' | 'clock' | 'database' | 'events' | 'log'>,
  identity: IdentityService,
): BootImport {
  const boot = new BootImport({
    database,
    events,
    clock,
    log,
    sources: importSources(config.memoryImport),
    ownerBySlug: (slug) => identity.ownerBySlug(slug),
    openToAll: identity.registration.mode === 'open',
    oldestOwners: (limit) => identity.oldestOwners(limit),
  });
  identity.registration.onOwnerCreated((owner) => boot.ownerCreated(owner));
  return boot;
}
