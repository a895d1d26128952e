import { EXIT, type KubeObject, type StoredPod } from '../../api/index.ts';
import { listOf, renderObject } from '../../print/index.ts';
import type { FileStore } from '../../store/index.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import { checkChanges, configureObject, newObject, recordOf } from '../../apiserver/index.ts';
import { dryRunSuffix } from '../change/dry-run.ts';
import { openStore } from '../base/environment.ts';
import { hasLiveOwner } from '../../engine/index.ts';
import type { ManifestObject } from '../../manifest/index.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { writePrinted } from '../output/write-printed.ts';
import type { Cli } from '../base/cli.ts';

/**
 * Prints the result of `--dry-run`: the objects of the manifests as podrun would store them, or a line for each object
 * about the change.
 * @throws {PodrunError} when the update rules forbid a change, or with `server`, admission forbids a new object
 */
export function dryRunApply(cli: Cli, objects: readonly ManifestObject[], flags: ApplyFlags): number {
  const { dryRun } = flags;
  const printer = flags.output === 'text' ? undefined : objectPrinter(cli.stdout, flags);
  const store = openStore(cli);
  const existing = objects.filter((manifest) => isThere(store, manifest));
  checkChanges(store, existing, cli.warn);
  // A server admits what it would create. Without one, the object is as the manifest says.
  const result = (manifest: ManifestObject): KubeObject =>
    dryRun === 'server' && !existing.includes(manifest) ? newObject(store, manifest.object) : manifest.object;
  if (printer !== undefined && objects.length > 0) {
    const printed = objects.map(result);
    const [only] = printed;
    writePrinted(cli.stdout, () => printer.print(only !== undefined && printed.length === 1 ? only : listOf(printed)));
    return EXIT.ok;
  }
  for (const manifest of objects) {
    const isChange = existing.includes(manifest);
    if (!isChange) result(manifest);
    const operation = isChange ? configureObject(store, manifest, { isDryRun: true, warn: cli.warn }) : 'created';
    cli.tell(`${renderObject(manifest.object, 'name').trim()} ${operation}${dryRunSuffix(dryRun)}\n`);
  }
  return EXIT.ok;
}

/** True when `apply` would change the object instead of creating it. A new Pod replaces a Pod that has ended. */
function isThere(store: FileStore, manifest: ManifestObject): boolean {
  return manifest.object.kind === 'Pod'
    ? hasLiveOwner(store, manifest.object as unknown as StoredPod)
    : recordOf(store, manifest) !== undefined;
}
