// The measured podrun: this build, with the Node that runs the benchmarks. With PODRUN_BENCH_NODES (paths, with a colon
// between them), a copy for each of these Nodes: a code cache of V8 fits one version of Node only.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');
/** The files that a build needs. */
const PARTS = ['bin', 'src', 'build.mjs', 'package.json', 'tsconfig.json', 'tsconfig.library.json'];

/** @returns {import('./shape.mjs').Podrun[]} each copy in its own folder below `folder` */
export function podruns(folder) {
  const nodes = (process.env.PODRUN_BENCH_NODES ?? '').split(/[:,]/).filter((node) => node !== '');
  if (nodes.length === 0) return [podrunOf(process.execPath, process.version, ROOT)];
  return nodes.map((given) => {
    const [node, version] = execFileSync(given, ['-p', 'process.execPath + " " + process.version'], {
      encoding: 'utf8',
    })
      .trim()
      .split(' ');
    return podrunOf(
      node,
      version,
      version === process.version ? ROOT : copyBuiltWith(node, path.join(folder, version)),
    );
  });
}

function podrunOf(node, version, root) {
  const program = path.join(root, 'bin/podrun.js');
  if (!existsSync(path.join(root, 'dist'))) throw new Error('podrun is not built yet: run npm run build');
  return { node, version, major: Number(/\d+/.exec(version)[0]), program, root };
}

function copyBuiltWith(node, folder) {
  mkdirSync(folder, { recursive: true });
  for (const part of PARTS) cpSync(path.join(ROOT, part), path.join(folder, part), { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  const PATH = `${path.dirname(node)}:${process.env.PATH}`;
  execFileSync(node, ['build.mjs'], { cwd: folder, env: { ...process.env, PATH }, stdio: 'inherit' });
  return folder;
}
