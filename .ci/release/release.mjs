// Makes and checks all that a release of podrun has, in dist/release: the package, executables for Linux on x64 and
// arm64 with their licences, a bill of materials, the notes and the checksums.
//
//   npm run release              from a clean tree, where package.json and CHANGELOG.md name the same version
//   npm run release -- --trial   from any tree
//
// The executables get the Node.js of the version that runs this, as npm distributes it. An executable is tried where
// this machine runs it: one for arm64 needs an emulator on x64 (see QEMU).

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { billOf, notesOf, refusals } from './contents.mjs';

const ARCHITECTURES = ['x64', 'arm64'];
/** How x64 Linux runs programs of arm64: Debian's qemu-user, libc6-arm64-cross and libstdc++6-arm64-cross. */
const QEMU = ['/usr/bin/qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'];

const root = path.join(import.meta.dirname, '../..');
const target = path.join(root, 'dist/release');
const { values: flags } = parseArgs({ options: { trial: { type: 'boolean', default: false } } });
const manifest = JSON.parse(read('package.json'));
const { version } = manifest;
const work = mkdtempSync(path.join(tmpdir(), 'podrun-release-'));
process.once('exit', () => rmSync(work, { recursive: true, force: true }));

checkProject();
run(process.execPath, ['build.mjs']);
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const tarball = packed();
checkPackage(tarball);
for (const arch of ARCHITECTURES) checkExecutable(arch, executable(arch));
const bill = billOf(read('dist/THIRD_PARTY_LICENSES'), { version, nodeVersion: process.versions.node });
write(`podrun-${version}.cdx.json`, `${JSON.stringify(bill, null, 2)}\n`);
write('NOTES.md', `${notesOf(read('CHANGELOG.md'), version)}\n`);
write('SHA256SUMS', checksums());
run('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], target);
console.log(`podrun ${version} is in ${path.relative(process.cwd(), target) || '.'}:`);
for (const file of readdirSync(target)) console.log(`  ${file}`);

function checkProject() {
  const changes = run('git', ['status', '--porcelain']);
  const tag = process.env.GITHUB_REF_TYPE === 'tag' ? process.env.GITHUB_REF_NAME : undefined;
  const reasons = refusals({ manifest, changelog: read('CHANGELOG.md'), changes, tag });
  if (reasons.length === 0) return;
  const list = reasons.map((reason) => `  - ${reason}`).join('\n');
  console.error(`${flags.trial ? 'This could not be released' : 'error: no release can be made'}:\n${list}`);
  if (!flags.trial) process.exit(1);
}

function packed() {
  run('npm', ['pack', '--silent', '--pack-destination', target]);
  return path.join(target, `podrun-${version}.tgz`);
}

/** Installs the package in an empty folder, without the network, and uses the program and the library. */
function checkPackage(file) {
  const folder = path.join(work, 'consumer');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  run('npm', ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', file], folder);
  checkProgram([path.join(folder, 'node_modules/.bin/podrun')]);
  const library = `import { run } from 'podrun'; if (typeof run !== 'function') process.exit(1);`;
  run(process.execPath, ['--input-type=module', '--eval', library], folder);
}

/** Makes the archive of the executable for an architecture. Returns the folder with what is in it. */
function executable(arch) {
  const folder = path.join(work, `podrun-${version}-linux-${arch}`);
  const node = path.join(fetched(`node-linux-${arch}@${process.versions.node}`), 'bin/node');
  const { optionalDependencies } = manifest;
  const terminals = fetched(`@lydell/node-pty-linux-${arch}@${optionalDependencies['@lydell/node-pty']}`);
  const options = { node, arch, pty: path.join(terminals, 'pty.node'), output: folder };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  run(process.execPath, ['bin/executable/build.mjs', ...args]);
  cpSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name'];
  run('tar', ['-czf', `${path.join(target, path.basename(folder))}.tar.gz`, ...owner, path.basename(folder)], work);
  return folder;
}

function checkExecutable(arch, folder) {
  const wanted = ['LICENSE', 'NODE_LICENSE', 'THIRD_PARTY_LICENSES', 'podrun'];
  const missing = wanted.filter((file) => !readdirSync(folder).includes(file));
  if (missing.length > 0) throw new Error(`the executable for ${arch} lacks ${missing.join(', ')}`);
  const program = path.join(folder, 'podrun');
  if (arch === process.arch) checkProgram([program]);
  else if (arch === 'arm64' && [QEMU[0], QEMU[2]].every((file) => existsSync(file))) checkProgram([...QEMU, program]);
  else console.log(`The executable for ${arch} was not tried: this machine cannot run it.`);
}

function checkProgram([program, ...args]) {
  const printed = run(program, [...args, '--version']).trim();
  if (printed !== version) throw new Error(`${program} --version printed ${printed}, not ${version}`);
  const state = path.join(work, 'state');
  run(program, [...args, 'apply', 'fixtures/pipeline.yaml', '--runtime', 'process', '--state-dir', state]);
  rmSync(state, { recursive: true });
}

/** Fetches a package of npm. Returns its folder. */
function fetched(name) {
  const folder = mkdtempSync(path.join(work, 'fetch-'));
  const file = run('npm', ['pack', name, '--silent', '--ignore-scripts'], folder).trim();
  run('tar', ['-xzf', file], folder);
  return path.join(folder, 'package');
}

function checksums() {
  const sum = (file) =>
    createHash('sha256')
      .update(readFileSync(path.join(target, file)))
      .digest('hex');
  return readdirSync(target)
    .map((file) => `${sum(file)}  ${file}\n`)
    .join('');
}

function read(file) {
  return readFileSync(path.join(root, file), 'utf8');
}

function write(file, text) {
  writeFileSync(path.join(target, file), text);
}

/** Runs a program to its end, and returns what it printed. */
function run(program, args, cwd = root) {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
