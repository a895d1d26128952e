import { EXIT } from '../../api/errors.ts';
import type { StoredPod } from '../../api/objects.ts';
import { listOf, renderObject } from '../../print/formats/object.ts';
import type { FileStore } from '../../store/file-store.ts';
import type { ApplyFlags } from './apply-flags.ts';
import { checkChanges } from '../../objects/check-changes.ts';
import { dryRunSuffix } from '../change/dry-run.ts';
import { openStore } from '../environment.ts';
import { hasLiveOwner } from '../../agent/runs/foreign-pods.ts';
import type { ManifestObject } from '../../manifest/manifest-object.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { writePrinted } from '../output/write-printed.ts';
import type { Cli } from '../cli.ts';
import { recordOf } from '../../objects/store-record.ts';
import { configureObject } from '../../objects/configure-object.ts';

/**
 * Prints the result of `--dry-run`: the objects of the manifests as podrun would store them, or a line for each object
 * about the change.
 * @throws {PodrunError} when the update rules forbid a change
 */
export function dryRunApply(cli: Cli, objects: readonly ManifestObject[], flags: ApplyFlags): number {
  const { dryRun } = flags;
  const printer = flags.output === 'text' ? undefined : objectPrinter(cli.stdout, flags);
  const store = openStore(cli);
  const existing = objects.filter((manifest) => isThere(store, manifest));
  checkChanges(store, existing, cli.warn);
  const [first] = objects;
  if (printer !== undefined && first !== undefined) {
    const printed = objects.map(({ object }) => object);
    writePrinted(cli.stdout, () => printer.print(objects.length === 1 ? first.object : listOf(printed)));
    return EXIT.ok;
  }
  for (const manifest of objects) {
    const operation = existing.includes(manifest)
      ? configureObject(store, manifest, { isDryRun: true, warn: cli.warn })
      : 'created';
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
