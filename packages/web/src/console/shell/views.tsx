import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

type View = LazyExoticComponent<ComponentType>;

export interface Place {
  readonly path: string;
  /** As it stands in the navigation, the title and the heading. */
  readonly name: string;
  readonly view: View;
  /** Keys after `g`. */
  readonly key?: string;
  readonly operatorOnly?: boolean;
}

const view = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name): View =>
  lazy(async () => ({ default: (await load())[name] }));

/** What stands in the navigation. */
export const PLACES: readonly Place[] = [
  { path: '/', name: 'Overview', key: 'o', view: view(() => import('../overview/overview.tsx'), 'Overview') },
  { path: '/agents', name: 'Agents', key: 'a', view: view(() => import('../agents/agents.tsx'), 'Agents') },
  { path: '/messages', name: 'Messages', key: 'm', view: view(() => import('../messages/messages.tsx'), 'Messages') },
  { path: '/rooms', name: 'Rooms', key: 'r', view: view(() => import('../rooms/rooms.tsx'), 'Rooms') },
  { path: '/memory', name: 'Memory', key: 'y', view: view(() => import('../memory/memory.tsx'), 'Memory') },
  { path: '/channels', name: 'Channels', key: 'l', view: view(() => import('../channels/channels.tsx'), 'Channels') },
  { path: '/cues', name: 'Cues', key: 'c', view: view(() => import('../cues/cues.tsx'), 'Cues') },
  { path: '/executions', name: 'Executions', key: 'e', view: view(() => import('../executions/executions.tsx'), 'Executions') },
  { path: '/schedule', name: 'Schedule', key: 'd', view: view(() => import('../schedule/schedule.tsx'), 'Schedule') },
  { path: '/coordination', name: 'Coordination', key: 'i', view: view(() => import('../coordination/coordination.tsx'), 'Coordination') },
  { path: '/webhooks', name: 'Webhooks', key: 'w', view: view(() => import('../webhooks/webhooks.tsx'), 'Webhooks') },
  { path: '/activity', name: 'Activity', key: 'v', view: view(() => import('../activity/activity.tsx'), 'Activity') },
  { path: '/system', name: 'System', key: 't', operatorOnly: true, view: view(() => import('../system/system.tsx'), 'System') },
  { path: '/settings', name: 'Settings', key: 's', view: view(() => import('../settings/settings.tsx'), 'Settings') },
];

/** What is opened from there. */
export const OBJECTS: readonly { readonly path: string; readonly view: View }[] = [
  { path: '/agents/:address', view: view(() => import('../agent/agent.tsx'), 'Agent') },
  { path: '/messages/:id', view: view(() => import('../message/message.tsx'), 'Message') },
  { path: '/rooms/:id', view: view(() => import('../room/room.tsx'), 'Room') },
  { path: '/memory/:kind/:id', view: view(() => import('../subject/subject.tsx'), 'Subject') },
  { path: '/cues/:id', view: view(() => import('../cue/cue.tsx'), 'Cue') },
];
