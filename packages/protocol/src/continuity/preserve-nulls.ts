import { isObject, type JsonObject } from '../json.ts';
import { CAPSULE_FIELDS, DESCRIPTOR_FIELDS, type Fields, STATE_FIELDS } from './capsule-fields.ts';

/** The request without the nulls that mean "clear" there, for the schema; what they clear is read from the raw request. */
export function withoutClearedFields(request: unknown): unknown {
  if (!isObject(request) || request.merge_mode !== 'preserve' || !isObject(request.capsule)) return request;
  const { continuity, thread_descriptor: descriptor } = request.capsule;
  return {
    ...request,
    capsule: {
      ...withoutNulls(request.capsule, CAPSULE_FIELDS),
      ...(isObject(continuity) && { continuity: withoutNulls(continuity, STATE_FIELDS) }),
      ...(isObject(descriptor) && { thread_descriptor: withoutNulls(descriptor, DESCRIPTOR_FIELDS) }),
    },
  };
}

/** Of the lists and maps that a null empties. */
function withoutNulls(object: JsonObject, fields: Fields): JsonObject {
  const isCleared = (name: string): boolean => {
    const field = object[name] === null ? fields[name] : undefined;
    return field?.kept === 'if left out' && field.is !== 'parts';
  };
  const names = Object.keys(object);
  if (!names.some(isCleared)) return object;
  return Object.fromEntries(names.filter((name) => !isCleared(name)).map((name) => [name, object[name]]));
}
