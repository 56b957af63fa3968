import type { LoadedConfig, SetBy } from './load.ts';
import { fileKey, flagName, SETTING_NAMES, SETTINGS, variableName } from './settings.ts';

export interface PrintedSetting {
  readonly value: unknown;
  readonly from: SetBy;
  readonly flag: string;
  readonly variable: string;
  readonly help: string;
}

/** The effective configuration with the origin of each value; secrets are only said to be set. */
export function printableConfig({ config, origins }: LoadedConfig): Record<string, PrintedSetting> {
  return Object.fromEntries(
    SETTING_NAMES.map((name) => {
      const { secret, help } = SETTINGS[name];
      const value = config[name] ?? null;
      const shown = secret && value !== null ? '(set)' : value;
      return [
        fileKey(name),
        { value: shown, from: origins[name], flag: flagName(name), variable: variableName(name), help },
      ];
    }),
  );
}
