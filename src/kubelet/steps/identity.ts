import {
  imageIdentity,
  type ImageIdentityOutcome,
  type ImageUserInput,
  judgeSecurity,
  type OwnRights,
  refusalOf,
  type RunAs,
} from '../../lifecycle/index.ts';
import { readImageFile } from '../../runtime/index.ts';
import type { LaunchImage } from '../../images/index.ts';
import type { LaunchDraft, LaunchStep } from './step.ts';

/**
 * Decides as which user, and with which rights, the container runs here.
 * @param isBestEffort true: a container that cannot have its security settings starts without them
 */
export function identityStep(rights: () => OwnRights, isBestEffort: boolean): LaunchStep {
  return {
    prepare({ pod, container }, { defaults, image }) {
      if (image !== undefined) {
        const outcome = identityInImage({ pod, container, rights: rights(), isBestEffort }, image);
        if (!outcome.ok) return outcome;
        return { ok: true, changes: { identity: outcome.identity, defaults: { ...defaults, HOME: outcome.home } } };
      }
      const verdict = judgeSecurity(pod.spec, container, rights());
      const refusal = refusalOf(pod, container, verdict, isBestEffort);
      if (refusal !== undefined) return { ok: false, ...refusal };
      const { identity } = verdict;
      return { ok: true, changes: { identity, defaults: ownVariables(identity, defaults, rights) } };
    },
  };
}

/** The user of a container that runs from an image, by the image's lists of users and groups. */
function identityInImage(
  input: Pick<ImageUserInput, 'pod' | 'container' | 'rights' | 'isBestEffort'>,
  { config, root }: LaunchImage,
): ImageIdentityOutcome {
  const [passwd, group] = [readImageFile(root, '/etc/passwd'), readImageFile(root, '/etc/group')];
  return imageIdentity({ ...input, owners: root.owners, user: config.User ?? '', passwd, group });
}

/**
 * The inherited variables, adjusted to the container's user.
 * Source: containerd sets HOME as the image's /etc/passwd has it, and no name.
 */
function ownVariables(
  identity: RunAs | undefined,
  inherited: LaunchDraft['defaults'],
  rights: () => OwnRights,
): LaunchDraft['defaults'] {
  if (identity?.uid === undefined) return inherited;
  const { USER: _user, LOGNAME: _logname, SHELL: _shell, ...others } = inherited;
  return { ...others, HOME: rights().account(identity.uid)?.home ?? '/' };
}
