import { readdirSync } from 'node:fs';
import path from 'node:path';
import { quietly, readQuietly } from '../../../quietly.ts';
import { runHelper } from '../../base/helper.ts';

/** The files of one container that an OCI runtime runs. */
export interface OciFiles {
  /** The folder of the bundle, in the layer of the container's instance. */
  readonly bundle: string;
  readonly config: string;
  /** The folder of the runtime's own files. */
  readonly state: string;
  /** The path of the runtime, for {@link deleteLeft}. */
  readonly runtime: string;
}

/** @param layerDir the layer of the container's instance */
export function ociFiles(layerDir: string): OciFiles {
  const bundle = path.join(layerDir, 'oci');
  const inBundle = (name: string): string => path.join(bundle, name);
  return { bundle, config: inBundle('config.json'), state: inBundle('state'), runtime: inBundle('runtime') };
}

/**
 * The first words of a command line of the runtime. podrun's own cgroups enforce the limits: with crun, everything that
 * a process starts stays in them. Other runtimes make a group inside the process's group.
 */
export function ociWords(file: string, state: string): [string, ...string[]] {
  const isCrun = path.basename(file).startsWith('crun');
  return [file, '--root', state, ...(isCrun ? ['--cgroup-manager=disabled'] : [])];
}

/** Removes what a killed runtime has left of a container outside of its layer: its groups. Never rejects. */
export async function deleteLeft(layerDir: string): Promise<void> {
  const { state, runtime } = ociFiles(layerDir);
  const file = readQuietly(runtime);
  if (file === '') return;
  for (const id of quietly(() => readdirSync(state)) ?? []) {
    const [program, ...args] = ociWords(file, state);
    await runHelper({ program, args: [...args, 'delete', '--force', id] });
  }
}
