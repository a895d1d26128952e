import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorText, PodrunError } from '../../../src/api/base/errors.ts';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { objectPrinter } from '../../../src/cli/output/object-printer.ts';
import { PrintFailure } from '../../../src/print/formats/base/print-failure.ts';
import { sortObjects } from '../../../src/print/formats/sort-objects.ts';
import { listOf } from '../../../src/print/formats/object.ts';
import { goldenPods } from '../golden.ts';

/** A recorded text, or the beginning and hash of a long one. */
type Recorded = string | { readonly begin: string; readonly sha256: string };

interface Recording {
  readonly args: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly stdout: Recorded;
  readonly stderr: Recorded;
  readonly exit: number;
}

/** The output of kubectl v1.32.4 for these Pods: one entry per command line. */
const recordings = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'recordings.json'), 'utf8'),
) as readonly Recording[];

const pods = ['list-of-three', 'sidecar-running', 'restarts-with-ages', 'labels-and-annotations']
  .flatMap(goldenPods)
  .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'podrun-formats-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe.each(recordings)('get $args', (recording) => {
  it('prints what kubectl prints', () => {
    for (const [name, text] of Object.entries(recording.files ?? {})) writeFileSync(path.join(folder, name), text);
    const { stdout, stderr } = run(recording.args);
    expect(stdout).toEqual(as(recording.stdout, stdout));
    expect(stderr).toEqual(as(recording.stderr, stderr));
  });
});

/** Replaces a long text by itself if it equals the recorded one. */
function as(recorded: Recorded, text: string): string {
  if (typeof recorded === 'string') return recorded;
  return createHash('sha256').update(text).digest('hex') === recorded.sha256 ? text : `${recorded.begin}…`;
}

/** Does what `get` does without a store: selects objects, sorts and prints them. */
function run(args: readonly string[]): { stdout: string; stderr: string } {
  const value = (flag: string): string | undefined =>
    args.find((arg) => arg.startsWith(`${flag}=`))?.slice(flag.length + 1);
  const output = args[args.indexOf('-o') + 1];
  const name = args[0] === 'pod' ? args[1] : undefined;
  const shown = args.includes('none=x') ? [] : pods;
  try {
    const printer = objectPrinter(
      { pathOf: (file) => path.join(folder, file), stdout: { isTerminal: false, keepText: () => undefined } },
      {
        output: args.includes('-o') ? output : undefined,
        template: value('--template'),
        allowMissingTemplateKeys: value('--allow-missing-template-keys') !== 'false',
        showManagedFields: false,
        headers: !args.includes('--no-headers'),
      },
    );
    const only = shown.find((pod) => pod.metadata.name === name);
    return { stdout: printer?.print(only ?? listOf(sorted(shown, value('--sort-by')))) ?? '', stderr: '' };
  } catch (error) {
    if (error instanceof PrintFailure) return { stdout: error.printed, stderr: errorText(error) };
    if (error instanceof PodrunError) return { stdout: '', stderr: errorText(error) };
    throw error;
  }
}

function sorted(objects: readonly StoredPod[], path: string | undefined): readonly StoredPod[] {
  const found = path ? sortObjects(objects, path) : { objects };
  if ('problem' in found) throw found.problem;
  return found.objects;
}
