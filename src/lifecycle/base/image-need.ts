/** An image that a container needs to start: its own or the image of a mounted volume. */
export interface ImageNeed {
  readonly container: string;
  readonly image: string;
  readonly pullPolicy: string | undefined;
  /** The volume of the image. Undefined: the container's own image. */
  readonly volume: string | undefined;
}

/** The answer of the agent about an image. */
export type EnsuredImage =
  | { readonly type: 'present' }
  /** Bytes of the compressed image; the time of the pull, and that time with the wait for a turn. */
  | { readonly type: 'pulled'; readonly size: number; readonly pullMs: number; readonly waitedMs: number }
  | { readonly type: 'failed'; readonly error: string }
  /** The image is not here, and the policy is Never. */
  | { readonly type: 'absent' }
  /** The image has to be pulled, and the back-off of its last failure is not over. */
  | { readonly type: 'backingOff' };
