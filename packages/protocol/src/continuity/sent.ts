import type { z } from 'zod';
import type {
  coldRehydrateArguments,
  coldStoreArguments,
  diffRequest,
  historyRequest,
  restoreRequest,
  retentionApplyArguments,
  searchRequest,
} from './beyond-requests.ts';
import type { RelatedDocument } from './capsule.ts';
import type * as requests from './requests.ts';

/*
 * What a caller may send, read off the schemas: keys with a default may be left out, and where a schema is lenient about
 * the type (a number written as text) the caller is held to the type it is read as.
 */

type Nothing = null | undefined;

type Strict<In, Out> = unknown extends In
  ? Out
  : In extends Nothing
    ? In
    : In extends readonly (infer InItem)[]
      ? Exclude<Out, Nothing> extends readonly (infer OutItem)[]
        ? Strict<InItem, OutItem>[]
        : In
      : In extends object
        ? { [Key in keyof In]: Strict<In[Key], Member<Exclude<Out, Nothing>, Key>> }
        : In;

type Member<T, Key> = Key extends keyof T ? T[Key] : never;

export type Sent<Schema extends z.ZodType> = Strict<z.input<Schema>, z.output<Schema>>;

type Upsert = Sent<(typeof requests.upsertRequest)['out']>;
type StateOf<T extends { continuity: object }> = Omit<T['continuity'], 'related_documents'> & {
  related_documents?: RelatedDocument[] | undefined;
};
export type SentCapsule = Omit<Upsert['capsule'], 'continuity'> & { continuity: StateOf<Upsert['capsule']> };

/** Null on an optional part empties it; a part that is left out stays as it is stored. */
type Clearing<T> = { [Key in keyof T]: undefined extends T[Key] ? T[Key] | null : T[Key] };
export type MergedCapsule = Clearing<Omit<SentCapsule, 'continuity' | 'thread_descriptor'>> & {
  continuity: Clearing<SentCapsule['continuity']>;
  thread_descriptor?: Clearing<NonNullable<SentCapsule['thread_descriptor']>> | Nothing;
};

export type SentUpsert = Omit<Upsert, 'capsule' | 'merge_mode'> &
  (
    | { capsule: SentCapsule; merge_mode?: 'replace' | undefined }
    | { capsule: MergedCapsule; merge_mode: 'preserve' }
  );
export type SentPatch = Sent<typeof requests.patchRequest>;
export type SentLifecycle = Sent<typeof requests.lifecycleRequest>;
export type SentRead = Sent<typeof requests.readRequest>;
export type SentCompare = Sent<typeof requests.compareRequest>;
export type SentRevalidate = Sent<typeof requests.revalidateRequest>;
export type SentList = Sent<typeof requests.listRequest>;
export type SentArchive = Sent<typeof requests.archiveRequest>;
export type SentDelete = Sent<typeof requests.deleteRequest>;
export type SentRefreshPlan = Sent<typeof requests.refreshPlanRequest>;
export type SentRetentionPlan = Sent<typeof requests.retentionPlanRequest>;
export type SentHistory = Sent<typeof historyRequest>;
export type SentDiff = Sent<typeof diffRequest>;
export type SentRestore = Sent<typeof restoreRequest>;
export type SentSearch = Sent<typeof searchRequest>;
export type SentColdStore = Sent<typeof coldStoreArguments>;
export type SentColdRehydrate = Sent<typeof coldRehydrateArguments>;
export type SentRetentionApply = Sent<typeof retentionApplyArguments>;
