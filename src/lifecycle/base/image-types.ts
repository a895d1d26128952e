/** The configuration of an image, as JSON. Source: OCI image-spec config.md; Docker writes null for what is empty. */
export interface ImageConfig {
  readonly architecture?: string;
  readonly os?: string;
  readonly variant?: string;
  /** RFC 3339. */
  readonly created?: string | null;
  readonly config?: ImageRunConfig | null;
  /** The digests of the uncompressed layers, the lowest first. */
  readonly rootfs: { readonly type?: string; readonly diff_ids: readonly string[] };
}

/** The programs and the user of an image, with the names of its configuration. */
export interface ImageRunConfig {
  /** `USER`, `UID`, `USER:GROUP`. Empty: root. */
  readonly User?: string | null;
  /** `NAME=VALUE` each. */
  readonly Env?: readonly string[] | null;
  readonly Entrypoint?: readonly string[] | null;
  readonly Cmd?: readonly string[] | null;
  readonly WorkingDir?: string | null;
  readonly StopSignal?: string | null;
  /** The folders with data, by path. */
  readonly Volumes?: Readonly<Record<string, unknown>> | null;
  readonly Labels?: Readonly<Record<string, string>> | null;
}

/** The system and processor of an image or a machine. Source: OCI image-spec image-index.md, with Go's names. */
export interface Platform {
  readonly os: string;
  readonly architecture: string;
  /** `v8` or `v7`, for ARM. */
  readonly variant?: string | undefined;
}

/**
 * The owners of unpacked layers. root: as in the image. mapped: from this user's range of subordinate ids. single: this
 * user owns everything.
 */
export type LayerKind = 'root' | 'mapped' | 'single';

/** An image that the store has under a name. */
export interface PresentImage {
  /** The full name with tag or digest: `docker.io/library/nginx:1.27`. */
  readonly name: string;
  /** The digest that the name stands for: of the index, where there is one. */
  readonly digest: string;
  /** The digest of the manifest for this machine. */
  readonly manifest: string;
  /** The digest of the configuration: the same image has the same one under each name. Go's name is image ID. */
  readonly configDigest: string;
  readonly config: ImageConfig;
  readonly kind: LayerKind;
  /** Bytes of the compressed layers and the configuration. */
  readonly size: number;
  /** RFC 3339. */
  readonly pulledAt: string;
  /** RFC 3339. */
  readonly lastUsedAt: string;
}

/** A user name and password, or a token, for a registry. */
export interface Credential {
  readonly username: string;
  readonly password: string;
  /** A refresh token for the token server, in place of the password. The kubelet ignores it; desktops depend on it. */
  readonly identityToken?: string | undefined;
  readonly origin: CredentialOrigin;
}

/** The giver of a credential. Source: pkg/credentialprovider/keyring.go CredentialSource. */
export type CredentialOrigin =
  /** The user's docker config or a credential provider: all Pods may use what it pulled. */
  | { readonly type: 'node' }
  | {
      readonly type: 'secret';
      readonly uid: string;
      readonly namespace: string;
      readonly name: string;
      /** SHA-256 of the credential, in hexadecimal. */
      readonly hash: string;
    }
  | { readonly type: 'serviceAccount'; readonly uid: string; readonly namespace: string; readonly name: string };

/** The ways to speak to one registry. Files are absolute paths. */
export interface RegistrySettings {
  readonly plainHttp: boolean;
  readonly insecureSkipTlsVerify: boolean;
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  /** `HOST` or `HOST/PATH`, asked before the registry itself, in this order. */
  readonly mirrors: readonly string[];
}

/** One pull. Plain data, which the puller gets as JSON through its standard input. */
export interface PullRequest {
  /** The full name with tag or digest. */
  readonly name: string;
  readonly platform: Platform;
  /** Tried one after the other. None: one pull without a credential. */
  readonly credentials: readonly Credential[];
  /** By host, with a port if there is one. */
  readonly registries: Readonly<Record<string, RegistrySettings>>;
  readonly kind: LayerKind;
}

/** The progress of a pull, for the line of a terminal. */
export interface PullProgress {
  readonly name: string;
  /** Bytes of compressed content. The manifest says the total. */
  readonly bytes: number;
  readonly totalBytes: number;
  readonly layers: number;
  readonly totalLayers: number;
}

export type PullOutcome =
  | {
      readonly ok: true;
      readonly image: PresentImage;
      /** The place of the credential that succeeded in the request. Undefined: none was needed, or there was none. */
      readonly credential: number | undefined;
      /** The time in the registry and on the disk, without the wait for a turn. */
      readonly pullMs: number;
    }
  /** The message of each attempt, as containerd words it; see `joinedErrors`. */
  | { readonly ok: false; readonly errors: readonly string[] };

/** The choice between programs of this machine and images (`--images`). */
export const SOURCE_CHOICES = ['auto', 'host', 'registry'] as const;
export type SourceChoice = (typeof SOURCE_CHOICES)[number];

/** The files and the program of a container, or the files of an image volume. */
export type ImageSource =
  /** This machine: a program of the image map, a `command`, a folder of the image map. */
  | { readonly type: 'host' }
  /** The image itself, pulled by its policy: in namespaces only. */
  | { readonly type: 'image' }
  /** Nothing. `pullError` is the error of a pull. */
  | { readonly type: 'unknown'; readonly pullError: string };

/** An image that a container needs to start: its own or the image of a mounted volume. */
export interface ImageNeed {
  readonly container: string;
  readonly image: string;
  readonly pullPolicy: string | undefined;
  /** The volume of the image. Undefined: the container's own image. */
  readonly volume: string | undefined;
}

/** An image of a registry, as the status of a container names it. Source: containerd, toCRIContainerStatus. */
export interface FoundImage {
  /** The full name with its tag: `docker.io/library/nginx:latest` for `nginx`. */
  readonly name: string;
  /** The repository with the digest of the image, or of its index: `docker.io/library/nginx@sha256:…`. */
  readonly id: string;
}

/** The answer of the agent about an image. */
export type EnsuredImage =
  | { readonly type: 'present'; readonly image: FoundImage }
  /** Bytes of the compressed image; the time of the pull, and that time with the wait for a turn. */
  | {
      readonly type: 'pulled';
      readonly image: FoundImage;
      readonly size: number;
      readonly pullMs: number;
      readonly waitedMs: number;
    }
  | { readonly type: 'failed'; readonly error: string }
  /** The image is not here, and the policy is Never. */
  | { readonly type: 'absent' }
  /** The image has to be pulled, and the back-off of its last failure is not over. */
  | { readonly type: 'backingOff' };
