import { DEFAULT_NAMESPACE, type StoredPod } from '../../api/index.ts';

/** A command of podrun about a Pod, ready to run: `podrun describe pod web -n shop`. */
export function podCommand(
  { metadata: { name, namespace } }: StoredPod,
  command: string,
  more: readonly string[] = [],
): string {
  const where = namespace === DEFAULT_NAMESPACE ? [] : ['-n', namespace];
  return ['podrun', command, name, ...more, ...where].join(' ');
}
