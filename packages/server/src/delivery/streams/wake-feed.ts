import type { Tx } from '../../platform/database/database.ts';
import type { Platform } from '../../platform.ts';
import type { WakeFeed } from '../../wire/wake-feed.ts';
import { wakeLine, type WakeLineOptions } from '../../wire/wake-line.ts';
import type { MessagingContext } from '../messaging-context.ts';

export type FeedContext = MessagingContext & Pick<Platform, 'bus' | 'log'>;

/** What wakes agents, each on its own stream. */
export interface Wakening<Item> extends Pick<WakeLineOptions<Item>, 'failed' | 'idOf'> {
  readonly subject: string;
  tell(agent: string, items: readonly Item[]): ReturnType<WakeLineOptions<Item>['tell']>;
  /** For an agent that connects. */
  waiting(agent: string): Promise<readonly Item[]>;
  /** What a hint was about; nothing when that is another agent's. */
  hinted(agent: string, id: string): Promise<readonly Item[]>;
  /** What hints may have been lost of since it was looked at last. */
  missed(agent: string, since: number): Promise<readonly Item[]>;
}

export interface AnnouncedFeed extends WakeFeed {
  /** In the transaction of what is to wake the agent. */
  readonly announce: (tx: Tx, agent: string, id: string) => void;
}

/** What waits for an agent, then each as it comes. */
export function wakeFeed<Item>({ bus, clock, log }: FeedContext, wakening: Wakening<Item>): AnnouncedFeed {
  const { subject, failed, idOf } = wakening;
  const subjectOf = (agent: string): string => `${subject} ${agent}`;
  return {
    announce: (tx, agent, id) => tx.afterCommit(() => bus.publish(subjectOf(agent), id)),
    open(agent, send) {
      const line = wakeLine<Item>({ log, failed, idOf, tell: (items) => wakening.tell(agent, items), send });
      const leave = bus.subscribe(subjectOf(agent), (id) => line.look(() => wakening.hinted(agent, id)));
      line.look(() => wakening.waiting(agent));
      let lookedAt = clock.now();
      const stopLooking = bus.onGap(() => {
        const since = lookedAt;
        lookedAt = clock.now();
        line.look(() => wakening.missed(agent, since));
      });
      return () => {
        line.close();
        leave();
        stopLooking();
      };
    },
  };
}
