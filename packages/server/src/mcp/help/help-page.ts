import type { RouteDeclaration } from '@parley/protocol/route';

/** One page of the help, or one for each of a kind; served over HTTP and as a method. */
export interface HelpPage {
  readonly route: RouteDeclaration;
  /** What is called unknown where there is no such page. */
  readonly noun: string;
  /** The argument that names the page; none where there is only one. */
  readonly argument?: 'name' | 'id' | 'code' | 'field_path';
  /** What can be asked for. */
  known(): readonly string[];
  /** Undefined where there is none of that name. */
  page(named: string): object | undefined;
}

/** Where a page with a name is found. */
export const pathOf = ({ route, argument }: HelpPage, named: string): string =>
  argument === undefined ? route.path : route.path.replace(`{${argument}}`, encodeURIComponent(named));

export interface Advice {
  readonly purpose: string;
  readonly when_to_use: string;
  readonly common_mistakes: readonly string[];
  readonly correction_hints: readonly string[];
}
