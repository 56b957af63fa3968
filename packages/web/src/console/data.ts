import type { ConsoleKind } from '@parley/protocol/console/kinds';
import type { ConsoleSession } from '@parley/protocol/console/session-routes';
import { consoleOwnerOf, type OwnerOfAnswer } from '@parley/protocol/console/view-routes';
import type { RouteDeclaration } from '@parley/protocol/route';
import { ConsoleClient } from '@parley/sdk/console/client';
import { DeliveryError } from '@parley/sdk/delivery/delivery-error';
import { isTrouble } from '@parley/sdk/passing';
import type { RouteInput } from '@parley/sdk/route-caller';
import { keepPreviousData, QueryClient, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { createContext, useContext } from 'react';

export const api = new ConsoleClient(location.origin);

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: true,
      placeholderData: keepPreviousData,
      retry: (failures, error) =>
        failures < 2 && !(error instanceof DeliveryError && !isTrouble(error.status)),
    },
  },
});

export interface Asked {
  readonly input?: RouteInput | undefined;
  /** For whom, where an operator asks. */
  readonly owner?: string | undefined;
  /** What objects the answer shows: it is read again when one of their kind changed. */
  readonly kinds: readonly ConsoleKind[];
  readonly enabled?: boolean;
  /** Read again after so many milliseconds too: what changes all the time tells of no change. */
  readonly every?: number;
}

/** The answer of a declared route, kept up to date. */
export function useAnswer<Answer>(route: RouteDeclaration, asked: Asked): UseQueryResult<Answer> {
  const { input, owner, kinds, enabled = true, every } = asked;
  return useQuery({
    queryKey: [route.name, input?.path, input?.query, input?.body, owner],
    queryFn: ({ signal }) => api.call<Answer>(route, { ...input, signal }, owner),
    meta: { kinds },
    enabled,
    refetchInterval: every ?? false,
  });
}

const SessionContext = createContext<ConsoleSession | undefined>(undefined);
export const SessionProvider = SessionContext.Provider;

/** Who is signed in; the views are shown to nobody else. */
export function useSession(): ConsoleSession {
  const session = useContext(SessionContext);
  if (!session) throw new TypeError('nobody is signed in');
  return session;
}

/** Whether the words of agents may be shown to this person. */
export function useReadsTexts(): boolean {
  return useSession().sees !== 'names';
}

/** Whether this person may change what owners have. */
export function useMayChange(): boolean {
  const { role, sees } = useSession();
  return role === 'owner' || sees === 'all';
}

/** Whose an object is, so that an operator asks in its name. */
export function useOwnerOf(id: string): UseQueryResult<string> {
  return useQuery({
    queryKey: ['owner of', id],
    queryFn: async () => (await api.call<OwnerOfAnswer>(consoleOwnerOf, { path: [id] })).owner,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The owner in `slug@owner`. */
export const ownerIn = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

export function errorText(error: unknown): string {
  if (error instanceof DeliveryError) return error.hint ? `${error.message}. ${error.hint}` : error.message;
  if (error instanceof SyntaxError) return `This is not JSON: ${error.message}. Nothing was changed.`;
  return 'The server could not be reached. Nothing was changed; try again when it is back.';
}
