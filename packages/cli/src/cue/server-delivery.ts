import { DeliveryClient } from '@parley/sdk/delivery/client';
import { DeliveryError } from '@parley/sdk/delivery/delivery-error';
import { CliError } from '../cli-error.ts';
import { harmlessLine } from '../harmless.ts';
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
