import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { xmlText } from './xml-text.ts';

export type ServiceFormat = 'systemd' | 'launchd';

/** A program of `parley` that a user's service manager keeps running. */
export interface Service {
  readonly name: 'parley' | 'parley-bridge';
  readonly description: string;
  /** Behind `parley`. */
  readonly words: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Exit codes after which a person has to do something first. */
  readonly staysDown: readonly number[];
  /** Lines of the unit's service section. */
  readonly more?: readonly string[];
}

/** To be looked at before it is put in place; it says where that is. */
export function serviceFile(service: Service, format: ServiceFormat): string {
  return format === 'launchd' ? launchd(service) : systemd(service);
}

/** This very program: a service has no shell to find it with. */
const programWords = (): string[] => [process.execPath, realpathSync(process.argv[1] ?? '')];

function systemd({ name, description, words, folder, environment, staysDown, more = [] }: Service): string {
  const path = join('~', '.config', 'systemd', 'user', `${name}.service`);
  return `# Put this into ${path}, then:
#   systemctl --user daemon-reload
#   systemctl --user enable --now ${name}
#   journalctl --user -u ${name} -f
# It ends when you log out, unless: loginctl enable-linger
[Unit]
Description=${description}
After=network-online.target
Wants=network-online.target

[Service]
Type=simple
WorkingDirectory=${folder.replaceAll('%', '%%')}
${Object.entries(environment)
  .map(([key, value]) => `Environment=${quoted(`${key}=${value}`, false)}\n`)
  .join('')}ExecStart=${[...programWords(), ...words].map((word) => quoted(word, true)).join(' ')}
Restart=always
RestartSec=3
RestartPreventExitStatus=${staysDown.join(' ')}
${more.map((line) => `${line}\n`).join('')}NoNewPrivileges=true

[Install]
WantedBy=default.target
`;
}

/** A word as systemd reads it: nothing in it is a specifier, a variable or the end of a quote. */
function quoted(word: string, isCommand: boolean): string {
  const plain = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%');
  return `"${isCommand ? plain.replaceAll('$', '$$$$') : plain}"`;
}

/** launchd knows no exit codes: it starts again after any that is not 0. */
function launchd({ name, words, folder, environment }: Service): string {
  const label = name.replace('-', '.');
  const path = join('~', 'Library', 'LaunchAgents', `${label}.plist`);
  const entry = ([key, value]: readonly [string, string]): string =>
    `    <key>${key}</key>\n    ${string(value)}\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Put this into ${path}, then: launchctl bootstrap gui/$UID ${path} -->
<plist version="1.0">
<dict>
  <key>Label</key>
  ${string(label)}
  <key>ProgramArguments</key>
  <array>
${[...programWords(), ...words].map((word) => `    ${string(word)}\n`).join('')}  </array>
  <key>WorkingDirectory</key>
  ${string(folder)}
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(environment).map(entry).join('')}  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>AbandonProcessGroup</key>
  <true/>
  <key>StandardErrorPath</key>
  ${string(join(homedir(), 'Library', 'Logs', `${label}.log`))}
</dict>
</plist>
`;
}

const string = (text: string): string => `<string>${xmlText(text)}</string>`;
