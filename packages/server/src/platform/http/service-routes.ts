import * as declared from '@parley/protocol/service/routes';
import type { RouteDeclaration } from '@parley/protocol/route';
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../parts.ts';
import { keepNowhere } from './no-store.ts';

/** What the server is, as its root knows it. */
export interface About {
  readonly service: string;
  readonly version: string;
  /** Changes when something in the protocols is no longer as it was. */
  readonly contract_version: string;
}

export interface ServiceRoutesOptions extends Pick<Parts, 'clock' | 'metrics' | 'health'> {
  about: About;
}

/** What operators and supervisors ask for: `/health`, `/status`, `/ready`, `/metrics`. No tenant data, no auth. */
export async function serviceRoutes(app: FastifyInstance, options: ServiceRoutesOptions): Promise<void> {
  const { clock, health, metrics, about } = options;
  const startedAt = clock.monotonic();
  keepNowhere(app);

  app.get('/health', as(declared.health), async () => {
    const { ready, services, counted } = await health.lately();
    const time = new Date(clock.now()).toISOString();
    return {
      ok: true,
      status: word(ready),
      ...about,
      time,
      timestamp: time,
      uptime_seconds: Math.floor((clock.monotonic() - startedAt) / 1000),
      ...health.document(),
      services,
      ...counted,
    };
  });

  app.get('/status', as(declared.status), async (_request, reply) => {
    const { ready } = await health.lately();
    return reply.code(ready ? 200 : 503).send({ status: word(ready) });
  });

  app.get('/ready', as(declared.ready), async (_request, reply) => {
    const { ready, services } = await health.readiness();
    return reply.code(ready ? 200 : 503).send({ ready, services });
  });

  app.get('/metrics', as(declared.metrics), async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}

const as = (declaration: RouteDeclaration) => ({ config: { declaration } });

const word = (ready: boolean): string => (ready ? 'healthy' : 'degraded');
