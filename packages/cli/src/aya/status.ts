import { requireConfig } from '../bridge/kept/config.ts';
import { wrongConfiguration } from '../bridge/failures.ts';
import { readJsonObject } from '../bridge/kept/private-json.ts';
import { readSession } from '../bridge/kept/session-file.ts';
import { StateFile } from '../bridge/kept/state-file.ts';
import { TokenFiles } from '../bridge/kept/token-files.ts';
import { WakeQueue } from '../bridge/wake-queue.ts';
import { printJson } from '../output.ts';
import { isServing } from './lock.ts';
import { type ConfigOptions, homeOf } from './options.ts';
import { VERSION } from './version.ts';

/** From the files alone. One of them that cannot be read is told, not passed over. */
export async function status(options: ConfigOptions): Promise<void> {
  const config = requireConfig(homeOf(options), options);
  const { places, hook, apiBaseUrl } = config;
  const session = readSession(places.session);
  const state = new StateFile(places.state);
  const tokens = new TokenFiles(places.tokens);
  const rooms = tokens.rooms();
  for (const room of rooms) readJsonObject(tokens.path(room));
  const queue = new WakeQueue(places.queue);
  const [broken] = queue.broken();
  if (broken !== undefined) throw wrongConfiguration(broken, 'mend the file or move it away');
  const jobs = queue.list();
  printJson({
    version: VERSION,
    api_base_url: apiBaseUrl,
    hook_url: hook.url.href,
    agent_id: session?.agent_id ?? '',
    has_session: session !== undefined,
    last_acknowledged_delivery_id: state.cursor,
    last_connected_at: state.lastConnectedAt,
    last_stream_status: state.status,
    token_file_count: rooms.length,
    wake_queue_count: jobs.length,
    serving: await isServing(places.lock),
    oldest_wake_age_seconds: ageOf(jobs[0]?.received_at),
    session_age_seconds: ageOf(session?.updated_at),
  });
}

function ageOf(time: string | undefined): number | null {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? null : Math.max(0, Math.round((Date.now() - at) / 1000));
}
