import { PodrunError } from '../../api/index.ts';
import type { Input } from '../../manifest/index.ts';
import { runHelper } from '../../runtime/index.ts';
import type { Cli } from '../base/cli.ts';
import { isOnPath } from '../base/program-on-path.ts';

/** The programs that know kustomizations, the first one that is installed. */
const PROGRAMS = [
  { program: 'kubectl', args: ['kustomize'] },
  { program: 'kustomize', args: ['build'] },
] as const;

/**
 * The manifests of a kustomization, made by kubectl or kustomize.
 * @throws {PodrunError} when neither is installed, or the folder has no kustomization
 */
export async function kustomized({ env }: Cli, folder: string): Promise<Input> {
  const found = PROGRAMS.find(({ program }) => isOnPath(program, env['PATH']));
  if (found === undefined) {
    throw new PodrunError('Unsupported', 'podrun needs kubectl or kustomize for -k, and this machine has neither', {
      hint: `Where one of them is installed, use: kubectl kustomize ${folder} > all.yaml`,
    });
  }
  const { program, args } = found;
  const outcome = await runHelper({ program, args: [...args, folder], cwd: process.cwd(), env: { ...env } });
  if (outcome.ok) return { file: folder, bytes: Buffer.from(outcome.stdout) };
  throw new PodrunError('InvalidManifest', outcome.why, { path: folder });
}
