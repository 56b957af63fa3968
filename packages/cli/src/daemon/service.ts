import { homedir } from 'node:os';
import { EXIT } from '../cli-error.ts';
import { serviceFile, type ServiceFormat } from '../host/service-files.ts';
import { type HomeOption, homeOf } from './home.ts';

export interface ServiceOptions extends HomeOption {
  readonly format: ServiceFormat;
}

/** A service of this user. Agents are found on the path as it is now, and go on with their work when the bridge is restarted. */
export function printService(options: ServiceOptions): void {
  const home = homeOf(options);
  const elsewhere = home === homeOf({}) && process.env['PARLEY_BRIDGE_HOME'] === undefined ? undefined : home;
  const text = serviceFile(
    {
      name: 'parley-bridge',
      description: 'Parley bridge',
      words: ['bridge', 'run'],
      folder: homedir(),
      environment: {
        PATH: process.env['PATH'] ?? '/usr/bin:/bin',
        ...(elsewhere !== undefined && { PARLEY_BRIDGE_HOME: elsewhere }),
      },
      staysDown: [EXIT.misuse, EXIT.denied],
      more: ['KillMode=process'],
    },
    options.format,
  );
  process.stdout.write(text);
}
