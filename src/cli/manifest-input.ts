import { EXIT } from '../api/errors.ts';
import type { KubeObject } from '../api/objects.ts';
import { loadManifests } from '../manifest/load.ts';
import { renderManifestErrors, statusesOf } from '../manifest/report.ts';
import { listOf, renderObject } from '../print/object.ts';
import type { ApplyFlags } from './apply.ts';
import { StandardOutput } from './standard-output.ts';

export type LoadedInput =
  | { readonly ok: true; readonly objects: readonly KubeObject[] }
  | { readonly ok: false; readonly exitCode: number };

/** Reads the manifests, and says on standard error all that is wrong with them. */
export async function loadOrExplain(flags: ApplyFlags): Promise<LoadedInput> {
  const { objects, errors, warnings } = await loadManifests({
    files: flags.filename,
    recursive: flags.recursive,
    namespace: flags.namespace,
    validate: flags.validate,
    stdin: () => process.stdin,
    forRunning: flags.dryRun === 'none',
  });
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`);
  if (errors.length === 0) return { ok: true, objects: objects.map(({ object }) => object) };
  process.stderr.write(`${renderManifestErrors(errors).join('\n')}\n`);
  if (flags.output === 'json') {
    new StandardOutput().write(
      statusesOf(errors)
        .map((status) => `${JSON.stringify(status)}\n`)
        .join(''),
    );
  }
  return { ok: false, exitCode: EXIT.usage };
}

/** What `--dry-run` prints: the objects as they would be stored, or one line for each. */
export function printDryRun(objects: readonly KubeObject[], { output, dryRun }: ApplyFlags): number {
  const format = output === undefined || output === 'text' ? undefined : output;
  const [first] = objects;
  const out = new StandardOutput();
  if (format === undefined || first === undefined) {
    const suffix = dryRun === 'server' ? 'server dry run' : 'dry run';
    for (const object of objects) out.write(`${renderObject(object, 'name').trim()} created (${suffix})\n`);
  } else out.write(renderObject(objects.length === 1 ? first : listOf(objects), format));
  return EXIT.ok;
}
