import { isLoopbackAddress } from '../http/client-address.ts';
import { type Limiter, PASSED } from './limiter.ts';

/** A limiter by address that lets this machine pass, where the operator wants that. */
export function sparingLoopback(limiter: Limiter, spare: boolean): Limiter {
  if (!spare) return limiter;
  return {
    take: (address, cost) => (isLoopbackAddress(address) ? PASSED : limiter.take(address, cost)),
    peek: (address, cost) => (isLoopbackAddress(address) ? PASSED : limiter.peek(address, cost)),
    standing: (address) => (isLoopbackAddress(address) ? undefined : limiter.standing?.(address)),
  };
}
