import type { IdentityService } from '../identity/service.ts';
import type { Observers } from '../platform/observers.ts';
import type { Platform } from '../platform.ts';
import type { LastSeen } from './agents/last-seen.ts';
import type { EventSink } from './records/agent-event.ts';
import type { PushObserver } from './routing/recipient.ts';
import type { SessionView } from './sessions/session.ts';
import type { DeliverySettings } from './settings.ts';

/** What every rule about agents as receivers works with. */
export interface AgentsContext
  extends Pick<Platform, 'database' | 'clock' | 'random' | 'jobs' | 'secrets' | 'addressRules' | 'resolve'> {
  readonly identity: IdentityService;
  readonly settings: DeliverySettings;
  readonly sessionView: SessionView;
  readonly lastSeen: LastSeen;
  /** Messages and events register there. Told in the transaction of what happens to an agent. */
  readonly observers: Observers<PushObserver>;
  readonly events: EventSink;
}
