import { type ConfigSources, loadConfig } from './load.ts';
import type { Config } from './settings.ts';

/**
 * The settings as a command beside the server uses them. It goes past a pooler, which keeps neither the locks nor the settings of a
 * connection; unless the command itself is told another database.
 */
export function operatorConfig(sources: ConfigSources): Config {
  const { config, origins } = loadConfig(sources);
  const { databaseUrl, databaseDirectUrl } = config;
  const named = origins.databaseUrl === 'flag' && origins.databaseDirectUrl !== 'flag';
  if (databaseUrl === undefined || databaseDirectUrl === undefined || named) return config;
  return { ...config, databaseUrl: databaseDirectUrl };
}
