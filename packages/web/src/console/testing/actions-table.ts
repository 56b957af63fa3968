import type { Form } from './enter.ts';
import { FORMS } from './enter.ts';

/**
 * Everything a person can do in a view, and the suite that does it by keyboard alone. Each suite ends with the question what of
 * its share was not done in every form.
 */
export const ACTIONS = {
  actions: [
    'Overview: try a message again',
    'Agents: create',
    'Agent: test a wake',
    'Agent: rename',
    'Agent: set policies',
    'Agent: make a key',
    'Agent: revoke a key',
    'Agent: set a webhook',
    'Agent: replace the secret of its webhook',
    'Agent: delete after typing its name',
    'Messages: reply',
    'Message: send again',
    'Message: route again',
    'Message: take back',
    'Executions: run again',
    'Cues: create with a preview',
    'Cues: pause',
    'Cues: resume',
    'Cues: edit',
    'Cue: fire with a payload',
    'Cue: backfill',
  ],
  steering: [
    'Overview: run a cue again',
    'Overview: let a thread go on',
    'Overview: mark an alert as seen',
    'Overview: give work of a silent worker to another',
    'Agents: filter',
    'Agents: test a wake',
    'Messages: write as a person',
    'Messages: replay',
    'Messages: resume a stopped thread',
    'Message: resume its stopped thread',
    'Cues: fire',
    'Executions: see what can be claimed by whom',
    'Executions: mark',
    'Channels: copy the command that starts one',
    'Activity: find by words, who and what was done',
    'Activity: copy as JSON lines',
    'Settings: end a session',
    'Settings: make a key',
    'Settings: theme, time zone and density',
  ],
  kept: [
    'Memory: filter by agent, kind and health',
    'Memory: search',
    'Subject: compare two revisions',
    'Subject: restore',
    'Subject: export',
    'Subject: archive',
    'Schedule: new',
    'Schedule: done',
    'Schedule: dismiss',
    'Coordination: open',
  ],
  operating: [
    'Overview: replay to a webhook',
    'Overview: retry a dead job',
    'Rooms: open',
    'Rooms: offer a listing',
    'Room: make and copy a viewer link',
    'Room: close',
    'Webhooks: test',
    'Webhooks: test an endpoint of rooms and one of events',
    'Webhooks: replay one',
    'Webhooks: replay a range',
    'Webhooks: replace the secret',
    'System: retry a dead job',
    'System: drop a dead job',
    'System: back up and download',
    'System: invite',
    'System: log level',
  ],
} as const;

type Suite = keyof typeof ACTIONS;

/** What of a suite's share was done, and how. */
export class Ledger<Share extends Suite> {
  readonly #share: Share;
  readonly #done = new Set<string>();

  constructor(share: Share) {
    this.#share = share;
  }

  /** To be said where it was seen that it was done. */
  did([width, scheme]: Form, ...actions: (typeof ACTIONS)[Share][number][]): void {
    for (const action of actions) this.#done.add(`${width} ${scheme}: ${action}`);
  }

  missing(): string[] {
    return FORMS.flatMap(([width, scheme]) =>
      ACTIONS[this.#share].map((action) => `${width} ${scheme}: ${action}`),
    ).filter((action) => !this.#done.has(action));
  }
}
