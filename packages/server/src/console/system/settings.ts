import type { ServerSettingsAnswer } from '@parley/protocol/console/system-routes';
import type { SetBy } from '../../config/load.ts';
import { printableConfig } from '../../config/print.ts';
import { SETTING_NAMES, SETTINGS, type SettingName } from '../../config/settings.ts';
import type { ConsoleContext } from '../create-module.ts';

/** As `parley config print` shows them. */
export function settingsOf({ config, console }: ConsoleContext): ServerSettingsAnswer {
  const { origins } = console.system;
  const defaults = Object.fromEntries(SETTING_NAMES.map((name) => [name, 'default'])) as Record<
    SettingName,
    SetBy
  >;
  const printed = Object.entries(printableConfig({ config, origins: origins ?? defaults }));
  return {
    settings: printed.map(([name, { value, from, flag, variable, help }], at) => {
      const setting = SETTING_NAMES[at];
      const usual = setting === undefined || same(config[setting], SETTINGS[setting].fallback);
      return { name, value: value as Shown, from: origins || usual ? from : 'program', flag, variable, help };
    }),
  };
}

/** Parsers give nothing else. */
type Shown = ServerSettingsAnswer['settings'][number]['value'];

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
