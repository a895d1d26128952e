import { PodrunError } from '../../api/index.ts';
import type { Input } from '../../manifest/index.ts';
import { quietly } from '../../quietly.ts';
import { runHelper } from '../../runtime/index.ts';
import type { Cli } from '../base/cli.ts';
import { isOnPath } from '../base/process.ts';

/** The longest time for a download. */
const LIMIT_MS = 30_000;

/**
 * Returns a function that opens a URL, with a limit of time. The reader of the bytes limits their number. The function
 * throws an error in kubectl's words. Source: cli-runtime/pkg/resource/visitor.go URLVisitor.
 */
export function downloader({ clock }: Pick<Cli, 'clock'>): (url: string) => AsyncGenerator<Uint8Array> {
  return async function* download(url) {
    const controller = new AbortController();
    const late = new Error(`no complete answer within ${LIMIT_MS / 1000}s`);
    const alarm = clock.wakeAt(clock.now().monotonicMs + LIMIT_MS, () => controller.abort(late));
    try {
      const { ok, status, statusText, body } = await fetch(url, { signal: controller.signal });
      if (!ok) throw new Error(`server reported ${status} ${statusText}, status code=${status}`);
      if (body !== null) yield* body;
    } catch (error) {
      // The cause of a failed fetch says what has failed.
      throw error instanceof TypeError && error.cause instanceof Error ? error.cause : error;
    } finally {
      alarm.cancel();
      controller.abort();
    }
  };
}

/** The programs that know kustomizations, the first one that is installed. */
const PROGRAMS = [
  { program: 'kubectl', args: ['kustomize'] },
  { program: 'kustomize', args: ['build'] },
] as const;

/**
 * The manifests of a kustomization, made by kubectl or kustomize.
 * @throws {PodrunError} when neither is installed, or the folder has no kustomization
 */
export async function kustomized({ env, cwd }: Cli, folder: string): Promise<Input> {
  const kustomize = PROGRAMS.find(({ program }) => isOnPath(program, env['PATH']));
  if (kustomize === undefined) {
    throw new PodrunError('Unsupported', 'podrun needs kubectl or kustomize for -k, and this machine has neither', {
      hint: `Where one of them is installed, use: kubectl kustomize ${folder} > all.yaml`,
    });
  }
  const { program, args } = kustomize;
  const outcome = await runHelper({ program, args: [...args, folder], cwd, env: { ...env } });
  if (outcome.ok) return { file: folder, bytes: Buffer.from(outcome.stdout) };
  const cause = causeOf(outcome.stderr);
  const why = cause === '' ? outcome.why : `${[program, ...args].join(' ')}: ${cause}`;
  throw new PodrunError('InvalidManifest', why, { path: folder });
}

/**
 * The cause in the output of kubectl or kustomize: its lines in one, without the frame of Go's log, in which some
 * builds of kubectl put it: `E1201 04:27:22.1 1 run.go:72] "command failed" err="…"`, or `err=<`, a tab before each
 * line, and ` >`.
 */
function causeOf(stderr: string): string {
  const text = stderr.trim().replace(/^(?:error|Error): /, '');
  const logged = /^E\d{4} .*?\] "command failed" err=/.exec(text);
  const inner = logged === null ? text : text.slice(logged[0].length);
  const isQuoted = logged !== null && inner.startsWith('"');
  const cause = isQuoted ? (quietly(() => String(JSON.parse(inner))) ?? inner) : inner.replace(/^<\n|\n >$/g, '');
  return cause
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join(' ')
    .replaceAll(' : ', ': ');
}
