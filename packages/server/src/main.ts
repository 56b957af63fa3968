import { constants } from 'node:os';
import { ConfigError, loadConfig } from './config/load.ts';
import { flagsHelp, parseFlags } from './config/flags.ts';
import { listensEverywhere } from './listening-url.ts';
import { operatorCode } from './identity/sign-ins/operator-code.ts';
import { messageOf } from './platform/error-words.ts';
import { errorFields } from './platform/log.ts';
import { letYoungHeapGrow } from './platform/young-heap.ts';
import { type RunningServer, startParley } from './server.ts';
import { welcome } from './welcome.ts';

/**
 * `parley serve`: configuration → context → listen → graceful stop. Resolves with the exit code.
 * @public Imported from the bundle.
 */
export async function serve(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(flagsHelp());
    return 0;
  }
  // What the server writes (database, backups, key) is for its owner alone, also in a folder that others may enter.
  process.umask(0o077);
  let server: RunningServer | undefined;
  const asked = askedToStop(() => server !== undefined);
  try {
    const loaded = loadConfig({ flags: parseFlags(argv), env: process.env });
    server = await startParley(loaded.config, { origins: loaded.origins });
    letYoungHeapGrow();
  } catch (error) {
    process.stderr.write(`parley: ${messageOf(error)}\n`);
    return error instanceof ConfigError ? 2 : 1;
  }
  // Standard output carries log lines only.
  const { config, identity, mailer } = server.context;
  process.stderr.write(
    welcome(config.publicUrl?.replace(/\/+$/, '') ?? server.url, {
      invite: identity.startInvite,
      // Only where a person reads it: what is printed elsewhere is kept.
      consoleCode: process.stderr.isTTY
        ? operatorCode(server.context.secrets, server.context.clock.now())
        : undefined,
      everywhere: config.publicUrl === undefined && listensEverywhere(config.host),
    }),
  );
  // Without a mailer the operator hands the link on. Never through the log, which may be kept and shared.
  identity.hooks.loginLink.push(({ email, url }) => {
    if (mailer) return;
    process.stderr.write(`\n  Login link for ${email}, good for 15 minutes:\n    ${url}\n\n`);
  });
  return await untilStopped(server, asked);
}

/** Listens from the beginning: whoever reads that the server is there may end it at once. Before that it ends as it is. */
function askedToStop(isRunning: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (isRunning()) resolve();
        else process.exit(128 + constants.signals[signal]);
      });
    }
  });
}

function untilStopped(server: RunningServer, asked: Promise<void>): Promise<number> {
  const { log } = server.context;
  return new Promise((resolve) => {
    let stopping = false;
    const stop = (code: number): void => {
      if (stopping) return;
      stopping = true;
      void server.stop().then(
        () => resolve(code),
        (error: unknown) => {
          log.error('stop_failed', errorFields(error));
          log.flush();
          // What could not be closed would keep the process.
          process.exit(1);
        },
      );
    };
    void asked.then(() => stop(0));
    void server.stoppedItself?.then(
      () => resolve(1),
      () => stop(1),
    );
    const failed = (event: string) => (error: unknown) => {
      log.error(event, errorFields(error));
      stop(1);
    };
    process.on('uncaughtException', failed('uncaught_exception'));
    process.on('unhandledRejection', failed('unhandled_rejection'));
  });
}
