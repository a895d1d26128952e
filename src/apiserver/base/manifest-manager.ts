import { PodrunError } from '../../api/index.ts';

/** The manager of an apply, as `--field-manager` names it. */
export interface ManifestManager {
  readonly name: string;
  /** True: `--server-side`. */
  readonly isServerSide: boolean;
  /** True: takes fields with other values from their managers. */
  readonly isForced: boolean;
}

/** The manager of `kubectl apply` without `--server-side`. */
export const CLIENT_SIDE = 'kubectl-client-side-apply';

/** The error of a server-side apply that would take fields from other managers, as kubectl prints it. */
export function applyConflict(message: string): PodrunError {
  return new PodrunError('Conflict', `${message}\n${CONFLICT_ADVICE}`);
}

/** Source: k8s.io/kubectl/pkg/cmd/apply/apply.go. */
const CONFLICT_ADVICE = [
  'Please review the fields above--they currently have other managers. Here',
  'are the ways you can resolve this warning:',
  '* If you intend to manage all of these fields, please re-run the apply',
  '  command with the `--force-conflicts` flag.',
  '* If you do not intend to manage all of the fields, please edit your',
  '  manifest to remove references to the fields that should keep their',
  '  current managers.',
  '* You may co-own fields by updating your manifest to match the existing',
  "  value; in this case, you'll become the manager if the other manager(s)",
  '  stop managing the field (remove it from their configuration).',
  'See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts',
].join('\n');
