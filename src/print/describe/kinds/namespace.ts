import type { Namespace } from '../../../api/generated/types.ts';
import type { StoredKubeObject } from '../../../api/objects.ts';
import { line } from '../line.ts';
import { describeAnnotations, describeLabels } from '../metadata.ts';

/** The lines of `describe` about a namespace. */
export function describeNamespace({ metadata, status }: StoredKubeObject & Namespace): string[] {
  return [
    line(0, 'Name:', metadata.name),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
    line(0, 'Status:', status?.phase ?? 'Active'),
    '',
    'No resource quota.',
    '',
    'No LimitRange resource.',
  ];
}
