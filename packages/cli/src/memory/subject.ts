import { SUBJECT_KINDS, type SubjectKind } from '@parley/protocol/continuity/vocabulary';
import { CliError, EXIT } from '../cli-error.ts';

export interface Subject {
  subject_kind: SubjectKind;
  subject_id: string;
}

/** `KIND ID …` or `KIND/ID …`; with what follows. */
export function subjectFrom(words: readonly string[]): { subject: Subject; rest: readonly string[] } {
  const [first = '', second, ...others] = words;
  const slash = first.indexOf('/');
  const joined = slash !== -1;
  const kind = SUBJECT_KINDS.find((each) => each === (joined ? first.slice(0, slash) : first));
  const id = joined ? first.slice(slash + 1) : second;
  if (!kind || id === undefined || id === '') {
    throw new CliError(
      'invalid_subject',
      `parley: a subject is KIND ID or KIND/ID, where KIND is one of ${SUBJECT_KINDS.join(', ')}`,
      { exitCode: EXIT.misuse },
    );
  }
  return { subject: { subject_kind: kind, subject_id: id }, rest: joined ? words.slice(1) : others };
}

/** For commands that take nothing but a subject. */
export function onlySubject(words: readonly string[]): Subject {
  const { subject, rest } = subjectFrom(words);
  if (rest.length > 0) throw tooMany(rest);
  return subject;
}

export const tooMany = (rest: readonly string[]): CliError =>
  new CliError(
    'too_many_arguments',
    `parley: too many arguments: ${rest.map((word) => JSON.stringify(word)).join(' ')}`,
    { exitCode: EXIT.misuse },
  );

export const spelled = ({ subject_kind: kind, subject_id: id }: Subject): string => `${kind}/${id}`;

/** A number of the history, `active`, `fallback`, or the path of an archive. */
export const stateFrom = (word: string): number | string =>
  /^[1-9]\d{0,14}$/.test(word) ? Number(word) : word;
