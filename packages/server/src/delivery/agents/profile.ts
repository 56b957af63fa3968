import type { ProfileAnswer, ProfilePatch } from '@parley/protocol/delivery/types';
import type { WorkStyle } from '@parley/protocol/delivery/vocabulary';
import { DeliveryError } from '../../wire/delivery/errors.ts';

/** What an agent says about itself. Metadata only: routing never reads it. */
export interface Profile {
  readonly displayName: string | null;
  readonly specialization: string | null;
  readonly tools: readonly string[];
  readonly workStyle: WorkStyle | null;
  /** Whether everybody may read it, as a card. */
  readonly hasCard: boolean;
}

export const EMPTY_PROFILE: Profile = {
  displayName: null,
  specialization: null,
  tools: [],
  workStyle: null,
  hasCard: false,
};

/** Key by key: absent keeps, null clears. */
export function mergeProfile(profile: Profile, patch: ProfilePatch): Profile {
  const workStyle = patchedWorkStyle(patch);
  return {
    displayName: patch.display_name === undefined ? profile.displayName : patch.display_name,
    specialization: patch.specialization === undefined ? profile.specialization : patch.specialization,
    tools: patch.tools === undefined ? profile.tools : (patch.tools ?? []),
    workStyle: workStyle === undefined ? profile.workStyle : workStyle,
    hasCard: patch.agent_card === undefined ? profile.hasCard : patch.agent_card === true,
  };
}

/** One value under two names. Writing either sets both; two different values contradict each other. */
function patchedWorkStyle({ work_style, preferred_contact }: ProfilePatch): WorkStyle | null | undefined {
  if (work_style !== undefined && preferred_contact !== undefined && work_style !== preferred_contact) {
    throw new DeliveryError('work_style_conflict', undefined, {
      details: [
        { field: 'body.profile.work_style', message: 'must equal preferred_contact when both are sent' },
      ],
    });
  }
  return (
    work_style ?? preferred_contact ?? (work_style === null || preferred_contact === null ? null : undefined)
  );
}

export const profileAnswer = (profile: Profile): ProfileAnswer => ({
  display_name: profile.displayName,
  specialization: profile.specialization,
  tools: [...profile.tools],
  preferred_contact: profile.workStyle,
  work_style: profile.workStyle,
  ...(profile.hasCard && { agent_card: true as const }),
});
