import { PodrunError } from '../api/errors.ts';
import type { LayerKind } from '../lifecycle/images/types.ts';
import { readQuietly } from '../quietly.ts';
import { runHelper } from '../runtime/helpers/helper.ts';
import { asOwners } from './unpack/unpack-layer.ts';

/** The bit in capability.h. Attributes of overlayfs and devices take this right. */
const CAP_SYS_ADMIN = 21n;

/**
 * How this user can own the files of layers. It tries: ranges of subordinate ids and permissions have many places.
 * @throws {PodrunError} (Unsupported) when it cannot unpack layers at all
 */
export async function findLayerKind(): Promise<LayerKind> {
  await checkTar();
  const kinds: readonly LayerKind[] = isPrivileged() ? ['root'] : ['mapped', 'single'];
  let why = '';
  for (const kind of kinds) {
    if (kind === 'root') return kind;
    const [program, ...args] = asOwners(kind, ['true']);
    const outcome = await runHelper({ program, args });
    if (outcome.ok) return kind;
    why = outcome.why;
  }
  throw new PodrunError('Unsupported', `images need user namespaces or root: ${why}`, {
    hint: "See 'podrun doctor' for what keeps this user from making namespaces.",
  });
}

function isPrivileged(): boolean {
  const [, digits = '0'] = /^CapEff:\s*(\S+)/m.exec(readQuietly('/proc/self/status')) ?? [];
  return process.geteuid?.() === 0 && ((BigInt(`0x${digits}`) >> CAP_SYS_ADMIN) & 1n) === 1n;
}

/** The tar of busybox has no attributes, and that of BSD other options. */
async function checkTar(): Promise<void> {
  const outcome = await runHelper({ program: 'tar', args: ['--version'] });
  if (outcome.ok && outcome.stdout.includes('GNU tar')) return;
  const why = outcome.ok ? 'the tar of this machine is another one' : outcome.why;
  throw new PodrunError('Unsupported', `images need GNU tar: ${why}`, {
    hint: 'Install the package tar of your distribution.',
  });
}
