import { serve } from '../../main.ts';

/** The whole server as a process of its own: arguments are its flags. */
process.exitCode = await serve(process.argv.slice(2));
