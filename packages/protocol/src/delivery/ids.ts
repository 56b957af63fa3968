/** Ids of the delivery protocol, told apart by shape. What has another shape is an unknown id, never a failure. */
export const SUFFIX_LENGTH = 12;

const MESSAGE = /^msg_[a-z0-9]{12}$/;
const CUE = /^cue_[a-z0-9]{12}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const messageId = (suffix: string): string => `msg_${suffix}`;
export const cueId = (suffix: string): string => `cue_${suffix}`;

export const isMessageId = (text: string): boolean => MESSAGE.test(text);
export const isCueId = (text: string): boolean => CUE.test(text);
export const isExecutionId = (text: string): boolean => UUID.test(text);

/** The cue that stands behind the messages of an agent without one: named, but neither listed nor served. */
export const implicitCueId = (agentSuffix: string): string => cueId(agentSuffix);
