import type { ConsoleKind } from '@parley/protocol/console/kinds';
import type { RouteDeclaration } from '@parley/protocol/route';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api } from '../data.ts';

/** A list that is read page by page. */
export function usePages<Answer extends { readonly next: string | null }>(
  route: RouteDeclaration,
  query: object,
  kinds: readonly ConsoleKind[],
  /** Whose texts an operator wants to read along. */
  owner?: string,
) {
  const found = useInfiniteQuery({
    queryKey: [route.name, 'pages', query, owner],
    queryFn: ({ pageParam, signal }) =>
      api.call<Answer>(
        route,
        { query: { ...query, ...(pageParam && { cursor: pageParam }) }, signal },
        owner,
      ),
    initialPageParam: '',
    getNextPageParam: (last) => last.next ?? undefined,
    meta: { kinds },
  });
  return {
    ...found,
    pages: found.data?.pages ?? [],
    more: found.hasNextPage ? () => void found.fetchNextPage() : undefined,
  };
}
