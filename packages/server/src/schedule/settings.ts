import type { Config } from '../config/settings.ts';

/** What a startup read shows of the schedule. */
export interface ScheduleSettings {
  readonly dueLimit: number;
  readonly upcomingLimit: number;
  readonly windowHours: number;
}

export const scheduleSettings = (config: Config): ScheduleSettings => ({
  dueLimit: config.scheduleDueLimit,
  upcomingLimit: config.scheduleUpcomingLimit,
  windowHours: config.scheduleUpcomingWindowHours,
});
