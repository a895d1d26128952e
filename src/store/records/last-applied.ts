import { rmSync } from 'node:fs';
import path from 'node:path';
import { inFolder, readJsonFile, writeFileAtomically } from '../disk/atomic-file.ts';
import { lastAppliedPath } from '../base/layout.ts';
import { keyOf, type StoredObject } from '../base/metadata.ts';
import type { ObjectKey, Resource } from '../base/store.ts';

interface AppliedFile {
  /** The uid of the object: nothing was applied to another object with the same name. */
  readonly uid: string;
  readonly manifest: object;
}

/**
 * The last manifest that `apply` applied to each object, as it was written. The next `apply` needs it to find the
 * fields that the manifest no longer contains. kubectl keeps the manifest in an annotation, which programs in the Pod
 * can see. podrun keeps it in a file beside the objects.
 */
export class LastApplied {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  read(resource: Resource, object: StoredObject): object | undefined {
    const { namespace, name } = keyOf(object);
    const file = readJsonFile<AppliedFile>(lastAppliedPath(this.#root, resource, namespace, name));
    return file?.uid === object.metadata.uid ? file.manifest : undefined;
  }

  write(resource: Resource, object: StoredObject, manifest: object): void {
    const { namespace, name } = keyOf(object);
    const file = lastAppliedPath(this.#root, resource, namespace, name);
    const content: AppliedFile = { uid: object.metadata.uid, manifest };
    inFolder(path.dirname(file), () => writeFileAtomically(file, `${JSON.stringify(content)}\n`));
  }

  forget(resource: Resource, { namespace, name }: ObjectKey): void {
    rmSync(lastAppliedPath(this.#root, resource, namespace, name), { force: true });
  }
}
