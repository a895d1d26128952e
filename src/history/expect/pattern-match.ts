import type { NumberRange, Pattern } from './expectation.ts';
import type { Happening } from '../story/model.ts';

export function matches(pattern: Pattern, happening: Happening): boolean {
  return isOfKind(pattern, happening) && isOfSubject(pattern, happening) && hasDetails(pattern, happening);
}

/** The likeness of a happening to a pattern: 0 is none, 3 is all but a detail. */
export function likeness(pattern: Pattern, happening: Happening): number {
  const isKind = isOfKind(pattern, happening);
  const isSubject = isOfSubject(pattern, happening);
  return isKind ? (isSubject ? 3 : 1) : Number(isSubject && 'container' in happening) * 2;
}

export function isInRange(range: NumberRange, value: number): boolean {
  return value >= range.min && value <= range.max;
}

function isOfKind({ what }: Pattern, happening: Happening): boolean {
  return what === happening.what;
}

function isOfSubject({ subject }: Pattern, happening: Happening): boolean {
  switch (happening.what) {
    case 'phase':
      return happening.phase === subject;
    case 'condition':
      return happening.type === subject;
    case 'event':
      return happening.event.reason === subject;
    case 'scheduled':
    case 'nominated':
    case 'evicted':
      return happening.subject === subject;
    case 'created':
    case 'deleted':
      return subject === '';
    case 'waiting':
    case 'started':
    case 'ready':
    case 'unready':
    case 'exited':
      return happening.container === subject;
    default:
      return happening satisfies never;
  }
}

function hasDetails({ status, run, code, reason, message }: Pattern, happening: Happening): boolean {
  if (status !== undefined && !(happening.what === 'condition' && happening.status === status)) return false;
  if (run !== undefined && !('run' in happening && happening.run === run)) return false;
  if (code !== undefined && !(happening.what === 'exited' && isInRange(code, happening.exitCode))) return false;
  if (reason !== undefined && !('reason' in happening && (happening.reason ?? '') === reason)) return false;
  return message === undefined || (happening.what === 'event' && (happening.event.message ?? '').includes(message));
}

/** A pattern as users write it: `exited: main, code: 0`. */
export function patternText({ what, subject, status, run, code, reason, message }: Pattern): string {
  const main = what === 'deleted' ? 'deleted' : `${what}: ${subject}${status === undefined ? '' : `=${status}`}`;
  const details = [
    ...(run === undefined ? [] : [`run: ${run}`]),
    ...(code === undefined ? [] : [`code: ${code.text}`]),
    ...(reason === undefined ? [] : [`reason: ${reason}`]),
    ...(message === undefined ? [] : [`message: ${JSON.stringify(message)}`]),
  ];
  return [main, ...details].join(', ');
}

/** A happening in the form of a pattern. */
export function happeningText(happening: Happening): string {
  switch (happening.what) {
    case 'created':
    case 'deleted':
      return happening.what;
    case 'phase':
      return `phase: ${happening.phase}`;
    case 'scheduled':
    case 'nominated':
    case 'evicted':
      return `${happening.what}: ${happening.subject}`;
    case 'condition':
      return `condition: ${happening.type}=${happening.status}${withReason(happening.reason)}`;
    case 'exited':
      return `${ofRun(happening)}, code: ${happening.exitCode}${withReason(happening.reason)}`;
    case 'waiting':
      return `${ofRun(happening)}${withReason(happening.reason)}`;
    case 'event': {
      const { reason = '', message = '' } = happening.event;
      return `event: ${reason}, message: ${JSON.stringify(message)}`;
    }
    case 'started':
    case 'ready':
    case 'unready':
      return ofRun(happening);
    default:
      return happening satisfies never;
  }
}

function ofRun({ what, container, run }: Extract<Happening, { container: string }>): string {
  return `${what}: ${container}${run === 1 ? '' : `, run: ${run}`}`;
}

function withReason(reason: string | undefined): string {
  return reason === undefined || reason === '' ? '' : `, reason: ${reason}`;
}
