import { serve } from '../../main.ts';
import { Closing } from '../../platform/closing.ts';

/** A server of which something cannot be closed, and which something then keeps running. Arguments: data directory. */
const [dataDir = ''] = process.argv.slice(2);
const add = Reflect.get(Closing.prototype, 'add');
let first = true;
Closing.prototype.add = function stuck(step) {
  add.call(this, step);
  if (first) add.call(this, () => Promise.reject(new Error('the door is stuck')));
  first = false;
};
setInterval(() => {}, 60_000);
process.exitCode = await serve(['--port', '0', '--data-dir', dataDir]);
