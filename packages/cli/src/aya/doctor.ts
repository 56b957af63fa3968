import type { JsonObject } from '@parley/protocol/json';
import { type BridgeConfig, readConfig } from '../bridge/kept/config.ts';
import { BRIDGE_EXIT, reasonOf } from '../bridge/failures.ts';
import { placesIn } from '../bridge/kept/places.ts';
import { readJsonObject } from '../bridge/kept/private-json.ts';
import { printJson } from '../output.ts';
import { examineFiles } from './doctor-files.ts';
import { examineNetwork } from './doctor-network.ts';
import { note } from './notes.ts';
import { type ConfigOptions, homeOf } from './options.ts';
import { Findings } from './findings.ts';
import { VERSION } from './version.ts';

/** Without these there is no bridge; everything else it can live with for a while. */
const NEEDED = [
  'config_exists',
  'config_valid',
  'api_health',
  'openclaw_hook_configured',
  'token_dir_writable',
  'wake_queue_dir_writable',
] as const;

/** Looks at everything and names each thing that is wrong, with what to do about it. Never wakes anybody. */
export async function doctor(options: ConfigOptions): Promise<number> {
  const home = homeOf(options);
  const findings = new Findings();
  const config = examineConfig(home, options, findings);
  const session = examineFiles(config?.places ?? placesIn(home), findings);
  await examineNetwork(config, session, findings);
  const sick = NEEDED.some((check) => !findings.isFine(check));
  const ok = findings.problems.length === 0;
  printJson({ ok, version: VERSION, home, ...findings.checks, problems: findings.problems });
  for (const { problem, fix } of findings.problems) note(`${problem}; ${fix}`);
  return sick ? BRIDGE_EXIT.configuration : BRIDGE_EXIT.done;
}

function examineConfig(home: string, options: ConfigOptions, findings: Findings): BridgeConfig | undefined {
  const path = placesIn(home).config;
  let raw: JsonObject | undefined;
  try {
    raw = readJsonObject(path);
  } catch (error) {
    findings.fine('config_exists');
    findings.wrong('config_valid', reasonOf(error), 'mend the file, or move it away and run aya init');
  }
  if (!raw) {
    if (!findings.knows('config_exists'))
      findings.wrong('config_exists', `there is no ${path}`, 'run aya init');
    findings.missing('config_valid', 'openclaw_hook_configured');
    return undefined;
  }
  findings.fine('config_exists');
  try {
    const config = readConfig(raw, home, options);
    findings.fine('config_valid');
    findings.is('openclaw_hook_configured', config.hook.token !== undefined, {
      problem: 'openclaw.hook_token is not set, so the runtime cannot be woken',
      fix: "set it to the runtime's hook token, or make one with aya init --force --generate-hook-token",
    });
    return config;
  } catch (error) {
    findings.wrong('config_valid', reasonOf(error), `correct it in ${path}`);
    findings.missing('openclaw_hook_configured');
    return undefined;
  }
}
