import { DeliveryClient } from '@parley/sdk/delivery/client';
import { DeliveryError } from '@parley/sdk/delivery/delivery-error';
import { CliError } from '../cli-error.ts';
import { harmlessLine } from '../harmless.ts';
import { Page } from '../memory/page.ts';
import { terminalOf } from '../memory/terminal.ts';
import { printJson, printPage } from '../output.ts';
import { toldByServer } from '../told-by-server.ts';
import { type ServerOptions, withServer } from '../with-server.ts';

/** Does something with the cues and executions of whoever we are on this server. */
export async function withDelivery<T>(
  options: ServerOptions,
  act: (parley: DeliveryClient) => Promise<T>,
): Promise<T> {
  try {
    return await withServer(options, (access) => act(new DeliveryClient(access)));
  } catch (error) {
    throw error instanceof DeliveryError ? refusal(error) : error;
  }
}

function refusal(error: DeliveryError): CliError {
  const { status, code, hint, body, retryAfterSeconds } = error;
  return new CliError(code, `parley: ${harmlessLine(error.message)}`, {
    hint,
    details: toldByServer(status, body, retryAfterSeconds),
    cause: error,
  });
}

/** Rows one by one with `--json`, as the server has them; else what the view makes of them. */
export function show<Row extends object>(
  rows: readonly Row[],
  { json }: ServerOptions,
  view: (page: Page, rows: readonly Row[]) => void,
): void {
  if (json) {
    for (const row of rows) printJson(row);
    return;
  }
  const page = new Page(terminalOf(process.stdout, process.env));
  view(page, rows);
  printPage(page);
}
