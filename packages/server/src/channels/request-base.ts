import type { FastifyRequest } from 'fastify';
import type { Platform } from '../platform.ts';
import { publicBase } from '../platform/http/public-base.ts';
import { ChannelError } from './errors.ts';

/** The URL this caller reaches us under, for everything that shows a URL. */
export function baseOf(
  request: FastifyRequest,
  { config, proxies }: Pick<Platform, 'config' | 'proxies'>,
): string {
  const base = publicBase(request.raw, { publicUrl: config.publicUrl, proxies });
  if (base === undefined) throw new ChannelError('invalid_host');
  return base;
}
