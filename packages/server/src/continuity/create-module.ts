import type { IdentityService } from '../identity/service.ts';
import type { Module } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import { countArtifacts } from './artifacts/artifact-store.ts';
import { createContinuityService } from './create-service.ts';
import { createMemoryMirror } from './git/create-mirror.ts';
import type { MemoryMirror } from './git/mirror.ts';
import { createBootImport } from './import/create-boot-import.ts';
import type { ContinuityService } from './service.ts';

/** Capsules, the folders they are taken over from at start, and the git repositories they are mirrored to. */
export interface ContinuityModule extends Module {
  readonly service: ContinuityService;
  /** Undefined unless the operator asked for one. */
  readonly mirror: MemoryMirror | undefined;
}

/** What its routes are made from. */
export interface ContinuityContext extends Platform {
  readonly identity: IdentityService;
  readonly continuity: ContinuityModule;
}

export function createContinuityModule(platform: Platform, identity: IdentityService): ContinuityModule {
  const service = createContinuityService(platform);
  identity.countUsage(async (ownerId) => ({
    documents: await countArtifacts(platform.database.read, ownerId),
  }));
  const boot = createBootImport(platform, identity);
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
