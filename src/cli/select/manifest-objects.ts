import type { Command } from 'commander';
import { DEFAULT_NAMESPACE, type KubeObject, PodrunError, resourceTypeOf } from '../../api/index.ts';
import { loadManifests, renderManifestErrors } from '../../manifest/index.ts';
import type { Cli } from '../base/cli.ts';
import { downloader, kustomized } from './outside-inputs.ts';
import { append, type SelectionFlags } from './selection-flags.ts';

/** The flags of questions about manifests that take the place of the store. */
export type ManifestFlags = Pick<SelectionFlags, 'filename' | 'kustomize' | 'namespace' | 'recursive'>;

/** Adds the flags that choose manifests. `--namespace` is left to the command. */
export function withManifestFlags(command: Command): Command {
  return command
    .option(
      '-f, --filename <file>',
      'the objects of this manifest in place of the store; may be given several times',
      append,
      [],
    )
    .option('-k, --kustomize <folder>', 'the objects of a kustomization in place of the store')
    .option('-R, --recursive', 'read folders with their subfolders', false);
}

/**
 * Reads the manifests that the flags choose.
 * @throws {PodrunError} with every mistake of the manifests and its place
 */
export async function readManifests(
  cli: Cli,
  { filename, kustomize, recursive }: ManifestFlags,
): Promise<Pick<Awaited<ReturnType<typeof loadManifests>>, 'objects' | 'unread'>> {
  const { objects, unread, errors } = await loadManifests({
    files: kustomize === undefined ? filename : [await kustomized(cli, kustomize)],
    recursive,
    pathOf: cli.pathOf,
    stdin: () => cli.stdin,
    download: downloader(cli),
    keepsUnread: true,
  });
  if (errors.length > 0) throw new PodrunError('InvalidManifest', renderManifestErrors(errors).join('\n'));
  return { objects, unread };
}

/** The same object in a namespace, if its kind has one: its own, else the namespace of the command line. */
export function inNamespace(object: KubeObject, namespace: string | undefined): KubeObject {
  if (object.metadata.namespace || !resourceTypeOf(object).isNamespaced) return object;
  return { ...object, metadata: { ...object.metadata, namespace: namespace || DEFAULT_NAMESPACE } };
}
