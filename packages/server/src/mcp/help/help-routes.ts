import { HELP_ROUTES } from '@parley/protocol/help/routes';
import type { FastifyInstance } from 'fastify';
import { DomainError } from '../../platform/http/domain-error.ts';
import { RouteTable } from '../../platform/http/route-table.ts';
import { shapeErrors } from '../../platform/http/server.ts';
import type { Log } from '../../platform/log.ts';
import type { HelpPage } from './help-page.ts';

interface HelpErrorOptions {
  readonly hints?: readonly object[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** The help speaks of itself in one shape, whatever it is asked for. */
class HelpError extends DomainError {
  override readonly name = 'HelpError';
  readonly status: number;
  readonly #code: string;
  readonly #options: HelpErrorOptions;

  constructor(status: number, code: string, detail: string, options: HelpErrorOptions = {}) {
    super(detail);
    this.status = status;
    this.#code = code;
    this.#options = options;
  }

  body(): object {
    const { hints = [] } = this.#options;
    return { error: { code: this.#code, detail: this.message, validation_hints: hints } };
  }

  override headers(): Readonly<Record<string, string>> {
    return this.#options.headers ?? {};
  }
}

const unknown = (page: HelpPage): HelpError => {
  const { noun, argument = 'name' } = page;
  const hint = {
    field: argument,
    area: 'request.path',
    reason: 'unsupported_value',
    limit: null,
    allowed_values: page.known(),
    correction_hint: `Use one of the allowed values for ${argument}.`,
  };
  return new HelpError(400, 'validation', `Unknown ${noun}`, { hints: [hint] });
};

const refused = (): HelpError => new HelpError(400, 'validation', 'This takes no body and no query');

/** The pages are made from the declarations when the first of them is asked for. */
export async function helpRoutes(app: FastifyInstance, { log }: { log: Log }): Promise<void> {
  shapeErrors(app, log, {
    unexpected: () => new HelpError(500, 'internal_error', 'The server could not handle this request'),
  });
  const table = new RouteTable<undefined>(
    app,
    {
      authenticate: async () => undefined,
      invalidJson: refused,
      invalid: refused,
      methodNotAllowed: (allowed) =>
        new HelpError(405, 'method_not_allowed', 'The help can only be read', {
          headers: { Allow: allowed.join(', ') },
        }),
    },
    { bodyLimit: 1024 },
  );
  for (const route of HELP_ROUTES) {
    table.add(route, async ({ params }) => {
      const { helpPageNamed } = await import('./pages.ts');
      const page = helpPageNamed(route.name);
      const named = page.argument === undefined ? '' : (params[page.argument] ?? '');
      // A path that ends in a slash names nothing.
      if (page.argument !== undefined && named === '') throw new HelpError(404, 'not_found', 'Not Found');
      const found = page.page(named);
      if (!found) throw unknown(page);
      return found;
    });
  }
  table.refuseOtherMethods();
}
