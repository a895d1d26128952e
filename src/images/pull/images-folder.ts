import path from 'node:path';
import { PodrunError } from '../../api/index.ts';
import type { LayerKind } from '../../lifecycle/index.ts';
import { type Obstacle, obstacleText } from '../../machine/index.ts';
import { explainRefusal, type HelperOutcome, readPrivileges, runHelper } from '../../runtime/index.ts';
import { asOwners } from '../unpack/unpack-layer.ts';

/**
 * The folder of a user's images: one for all state folders.
 * @param home the user's home folder
 */
export function imagesFolder(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const own = env['PODRUN_IMAGE_DIR'];
  if (own) return path.resolve(own);
  const data = env['XDG_DATA_HOME'];
  return path.join(data && path.isAbsolute(data) ? data : path.join(home, '.local/share'), 'podrun/images');
}

/** The owners that the files of layers can have here, or the reason why podrun cannot unpack any. */
type LayerKindFinding =
  /** `unmapped`: the reason why a user has no subordinate ids. */
  | { readonly ok: true; readonly kind: LayerKind; readonly unmapped?: string }
  | { readonly ok: false; readonly lacks: 'tar'; readonly why: string }
  | { readonly ok: false; readonly lacks: 'namespaces'; readonly why: Obstacle };

/** Tries how this user can own the files of layers: ranges of subordinate ids and permissions have many places. */
export async function detectLayerKind(): Promise<LayerKindFinding> {
  const tar = await runHelper({ program: 'tar', args: ['--version'] });
  // The tar of busybox has no attributes, and BSD's tar other options.
  if (!tar.ok || !tar.stdout.includes('GNU tar')) {
    return { ok: false, lacks: 'tar', why: tar.ok ? 'the tar of this machine is another one' : tar.why };
  }
  if (readPrivileges().isPrivileged) return { ok: true, kind: 'root' };
  const mapped = await tried('mapped');
  if (mapped.ok) return { ok: true, kind: 'mapped' };
  const single = await tried('single');
  if (single.ok) return { ok: true, kind: 'single', unmapped: mapped.why };
  // unshare(1) says of a limit of namespaces what it says of a full disk.
  const said = single.why.replace(/^unshare ended with exit code \d+: /, '');
  return { ok: false, lacks: 'namespaces', why: explainRefusal('unshare', said, readPrivileges()) };
}

function tried(kind: LayerKind): Promise<HelperOutcome> {
  const [program, ...args] = asOwners(kind, ['true']);
  return runHelper({ program, args });
}

/**
 * The way in which this user can own the files of layers.
 * @throws {PodrunError} (Unsupported) when it cannot unpack layers at all
 */
export async function findLayerKind(): Promise<LayerKind> {
  const detected = await detectLayerKind();
  if (detected.ok) return detected.kind;
  const [what, hint] = LACKS[detected.lacks];
  const why = typeof detected.why === 'string' ? detected.why : obstacleText(detected.why);
  throw new PodrunError('Unsupported', `images need ${what}: ${why}`, { hint });
}

const LACKS = {
  tar: ['GNU tar', 'Install the package tar of your distribution.'],
  namespaces: ['user namespaces or root', "See 'podrun doctor' for what keeps this user from making namespaces."],
} as const;
