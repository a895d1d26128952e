import { goQuote } from '../../api/index.ts';

// The messages of containers that cannot be made from their image, in the words of containerd.

/** Source: containerd, internal/cri/opts/spec_opts.go WithProcessArgs. */
export function noCommand(id: string): string {
  return `failed to generate container "${id}" spec: failed to generate spec: no command specified`;
}

/** Source: containerd, pkg/oci/spec_opts.go ErrNoUsersFound. */
export const NO_USERS_FOUND = 'failed to create containerd container: no users found';

/** Source: containerd, pkg/oci/spec_opts.go WithUser. */
export function userOutOfRange(user: string, part: 'uid' | 'gid'): string {
  return `failed to create containerd container: invalid USER value ${goQuote(user)}: ${part} out of range`;
}

/** Source: moby/sys/user ErrRange. The ids of a manifest are checked before: these come from the files. */
export const IDS_OUT_OF_RANGE =
  'failed to create containerd container: uids and gids must be in range 0-2147483647 (in /etc/passwd and /etc/group)';

/** podrun's own: on a node every container has the files of its image. */
export function imageNeedsNamespaces(image: string): string {
  return (
    `image "${image}" has files of its own, which needs namespaces, and this podrun runs containers as plain ` +
    "processes: 'podrun doctor' says whether this machine permits namespaces"
  );
}

/** podrun's own: the pull error of the image of a volume, where podrun may not pull it. */
export function unknownImageFolder(reference: string): string {
  return (
    `podrun pulls no images here, and no folder is set for image "${reference}": ` +
    `name one under images: in podrun.yaml, as in {"${reference}": {folder: ./path}}`
  );
}

/** podrun's own: a part of the message below, by which it is known. */
const STANDS_FOR = 'which stands for image';

/** podrun's own: the pull error of an image whose folder in podrun.yaml is missing, or may not be seen. */
export function imageFolderUnusable(folder: string, image: string, why: string): string {
  return `${folder}, ${STANDS_FOR} "${image}", ${why}`;
}

/** podrun's own: true for the message of a container that waits because of `imageFolderUnusable`. */
export function isImageFolderUnusable(message: string): boolean {
  return message.includes(STANDS_FOR);
}

/** podrun's own: the end of the error of an image that the user's choice or the process tier keeps from a pull. */
export function pullHint(choice: string): string {
  if (choice === 'host') return ', or let podrun pull the image: --images=auto';
  return ", or let podrun pull the image, which needs namespaces: see 'podrun doctor'";
}

/** podrun's own: the image was removed after its look-up. */
export function imageNotHere(image: string): string {
  return `image ${JSON.stringify(image)} is not on this machine any more`;
}

/**
 * The failed pulls after which podrun calls a passing error final: the fourth comes 70 seconds after the first. The
 * kubelet has no such number: it pulls as long as the Pod exists.
 */
const PULLS_MAX = 4;

const GIVEN_UP = /\(failed \d+ times\)$/;

/** A status in `unexpected status from HEAD request to URL: 503 Service Unavailable`, by the words before it. */
const STATUS = /\b(?:request to \S{1,4000}|status(?: code)?): (?:408|425|429|5\d\d)\b/;

/**
 * The errors of a registry, of the network or of the puller that may be over at the next pull, in the words of
 * containerd, CRI-O and Go: a status that says "later", and a connection that was not made or has broken.
 */
const PASSING = [
  STATUS,
  /\btoomanyrequests\b|\bToo Many Requests\b|\bpull QPS exceeded\b/,
  /\b(?:connection refused|connection reset by peer|connection timed out|broken pipe)\b/,
  /\b(?:i\/o timeout|TLS handshake timeout|deadline exceeded|server misbehaving|Client\.Timeout)\b/,
  /\b(?:no route to host|network is unreachable|host is down|network is down)\b/,
  /\bEOF\b|\bthe process that pulls images is gone\b/,
];

/** podrun's own: the message of a pull that failed, with the number of failures once podrun calls the error final. */
export function pullFailure(error: string, failures: number): string {
  return failures >= PULLS_MAX && isPassingPullError(error) ? `${error} (failed ${failures} times)` : error;
}

/**
 * podrun's own: true for the message of a container whose image may be pulled at the next attempt: the error is a
 * passing one, and has not come too often.
 */
export function mayBePulledLater(message: string): boolean {
  return isPassingPullError(message) && !GIVEN_UP.test(message);
}

/** podrun's own: true for an error that may be over at the next pull. */
export function isPassingPullError(text: string): boolean {
  return PASSING.some((pattern) => pattern.test(text));
}
