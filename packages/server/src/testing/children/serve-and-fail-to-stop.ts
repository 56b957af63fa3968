import { serve } from '../../main.ts';
import { Closing } from '../../platform/closing.ts';

/** A server of which something cannot be closed, and which something then keeps running. Arguments: data directory. */
const [dataDir = ''] = process.argv.slice(2);
const { run } = Closing.prototype;
Closing.prototype.run = async function fail(): Promise<void> {
  await run.call(this);
  throw new Error('the door is stuck');
};
setInterval(() => {}, 60_000);
process.exitCode = await serve(['--port', '0', '--data-dir', dataDir]);
