import { rmSync } from 'node:fs';
import path from 'node:path';
import { inFolder, readJson, writeFileAtomically } from './atomic-file.ts';
import { lastAppliedPath } from './layout.ts';
import type { StoredObject } from './metadata.ts';
import type { ObjectKey, Resource } from './store.ts';

interface AppliedFile {
  /** Of the object: another one of that name has had nothing applied to it. */
  readonly uid: string;
  readonly manifest: object;
}

/**
 * What `apply` was given for an object the last time, as it was written: without it nobody knows what a manifest says
 * no more. kubectl keeps it in an annotation of the object, where programs that look at their own annotations see it;
 * here it is a file beside the objects.
 */
export class LastApplied {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  read(resource: Resource, { metadata: { namespace, name, uid } }: StoredObject): object | undefined {
    const file = readJson<AppliedFile>(lastAppliedPath(this.#root, resource, namespace, name));
    return file?.uid === uid ? file.manifest : undefined;
  }

  write(resource: Resource, { metadata: { namespace, name, uid } }: StoredObject, manifest: object): void {
    const file = lastAppliedPath(this.#root, resource, namespace, name);
    const content: AppliedFile = { uid, manifest };
    inFolder(path.dirname(file), () => writeFileAtomically(file, `${JSON.stringify(content)}\n`));
  }

  forget(resource: Resource, { namespace, name }: ObjectKey): void {
    rmSync(lastAppliedPath(this.#root, resource, namespace, name), { force: true });
  }
}
