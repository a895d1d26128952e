import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PodrunError } from '../../api/index.ts';
import type { Dialect } from '../../apiserver/index.ts';
import { readQuietly } from '../../quietly.ts';
import { apiserverScript, etcdScript, kubectlScript } from './scripts.ts';

/**
 * Writes the folder for KUBEBUILDER_ASSETS, unless it is written already. Returns its path, which is the same for the
 * same podrun and the same version of Kubernetes.
 * @param podrun the program and the arguments that start podrun
 * @throws {PodrunError} when it cannot be written
 */
export function writeAssets(env: NodeJS.ProcessEnv, home: string, podrun: readonly string[], dialect: Dialect): string {
  const given = env['XDG_DATA_HOME'] ?? '';
  const data = path.isAbsolute(given) ? given : path.join(home, '.local/share');
  const install = createHash('sha256').update(podrun.join('\0')).digest('hex').slice(0, 8);
  const folder = path.join(data, 'podrun/envtest', `${dialect.gitVersion.slice(1)}-${install}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeScript(path.join(folder, 'etcd'), etcdScript(podrun, dialect));
    writeScript(path.join(folder, 'kube-apiserver'), apiserverScript(dialect));
    writeScript(path.join(folder, 'kubectl'), kubectlScript());
  } catch (error) {
    throw new PodrunError('Disk', `cannot write ${folder}: ${(error as Error).message}`, { cause: error });
  }
  return folder;
}

/** Writes a script at once: suites that start meanwhile run the old one or the new one. */
function writeScript(file: string, text: string): void {
  if (readQuietly(file) === text) return;
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, text, { mode: 0o700 });
  renameSync(temporary, file);
}
