import type { Finding } from '../../manifest/index.ts';
import { annotationProperty, annotationText } from '../live/annotation.ts';

/**
 * Formats a finding as a workflow command of GitHub Actions, which shows it beside the line of the file. Empty for a
 * note, since GitHub shows only a limited number.
 */
export function renderAnnotation({ level, file, line, column, object, message, hint }: Finding): string {
  if (level === 'note') return '';
  const subject = object === undefined || object.name === '' ? '' : `${object.kind} ${object.name}: `;
  const text = `${subject}${message}${hint === undefined ? '' : ` - ${hint}`}`;
  const location = `file=${annotationProperty(file)},line=${line},col=${column}`;
  return `::${level} ${location}::${annotationText(text)}\n`;
}
