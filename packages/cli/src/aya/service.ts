import { spawnSync } from 'node:child_process';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { xmlText } from '../host/xml-text.ts';
import { homeOf, type HomeOption } from './options.ts';

export interface ServiceOptions extends HomeOption {
  readonly format: 'systemd' | 'launchd';
}

/** A service file for this user, to be looked at before it is put in place. */
export function printService(options: ServiceOptions): void {
  const own = homedir();
  const home = homeOf(options);
  const elsewhere = home === join(own, '.areyouai') ? undefined : home;
  const text = options.format === 'launchd' ? launchd(own, elsewhere) : systemd(own, elsewhere);
  process.stdout.write(text);
}

/** It is not started again after a wrong configuration or a refused key: a person has to mend that. */
function systemd(home: string, elsewhere: string | undefined): string {
  const { username } = userInfo();
  const environment = elsewhere === undefined ? '' : `Environment=AYA_HOME=${elsewhere}\n`;
  return `[Unit]
Description=Parley wake bridge
After=network-online.target
Wants=network-online.target

[Service]
Type=simple
User=${username}
Group=${groupOf(username)}
WorkingDirectory=${home}
Environment=HOME=${home}
${environment}ExecStart=/usr/bin/env aya serve
Restart=always
RestartSec=3
RestartPreventExitStatus=2 3
NoNewPrivileges=true
PrivateTmp=true
ProtectSystem=full
ProtectControlGroups=true
ProtectKernelTunables=true
ProtectKernelModules=true
LockPersonality=true
StandardOutput=journal
StandardError=journal

[Install]
WantedBy=multi-user.target
`;
}

const entry = (key: string, value: string): string =>
  `    <key>${key}</key>\n    <string>${xmlText(value)}</string>\n`;

function launchd(home: string, elsewhere: string | undefined): string {
  const base = elsewhere ?? join(home, '.areyouai');
  const environment = entry('HOME', home) + (elsewhere === undefined ? '' : entry('AYA_HOME', elsewhere));
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>parley.aya</string>
  <key>ProgramArguments</key>
  <array>
    <string>/usr/bin/env</string>
    <string>aya</string>
    <string>serve</string>
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${environment}  </dict>
  <key>WorkingDirectory</key>
  <string>${xmlText(home)}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <true/>
  <key>ThrottleInterval</key>
  <integer>3</integer>
  <key>StandardErrorPath</key>
  <string>${xmlText(join(base, 'logs', 'aya.log'))}</string>
</dict>
</plist>
`;
}

function groupOf(username: string): string {
  const { stdout } = spawnSync('id', ['-gn'], { encoding: 'utf8' });
  return stdout?.trim() || username;
}
