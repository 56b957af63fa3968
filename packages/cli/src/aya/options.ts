import type { Command } from 'commander';
import type { Allowances } from '../bridge/kept/config.ts';
import { homeFolder } from '../bridge/kept/places.ts';

export interface HomeOption {
  readonly home?: string;
}

export interface ConfigOptions extends HomeOption, Allowances {}

export const atHome = (command: Command): Command =>
  command.option('--home <folder>', 'where everything is kept; default: $AYA_HOME or ~/.areyouai');

/** For commands that use the configuration. */
export const withConfig = (command: Command): Command =>
  atHome(command)
    .option('--insecure', 'allow a server that is neither local nor reached by https')
    .option('--allow-remote-hook', 'allow a hook that is not on this machine');

export const homeOf = ({ home }: HomeOption): string => homeFolder(home, process.env);
