import { spawnSync } from 'node:child_process';
import { chownSync, cpSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FileOwners, ImageRoot } from '../../../src/runtime/base/confinement.ts';
import { openToAll } from '../../ordinary-user.ts';

/** The content of a layer by path: a text, a link (`{link}`), a folder (`{folder}`), or a program of the host. */
export type LayerFiles = Readonly<
  Record<
    string,
    string | { readonly link: string } | { readonly folder: true; readonly owner?: number } | { readonly copy: string }
  >
>;

const PASSWD = 'root:x:0:0:root:/root:/bin/sh\napp:x:1000:1000::/home/app:/bin/sh\n';

/** The busybox of this machine with its libraries, as the lowest layer. Undefined: there is none. */
function busyboxLayer(): LayerFiles | undefined {
  const listed = spawnSync('ldd', ['/bin/busybox'], { encoding: 'utf8' });
  if (listed.error !== undefined || !/busybox|=>|static/.test(listed.stdout + listed.stderr)) return undefined;
  const libraries = [...listed.stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, file = '']) => file);
  const applets = [
    'sh',
    'cat',
    'id',
    'ls',
    'env',
    'sleep',
    'readlink',
    'grep',
    'stat',
    'hostname',
    'tty',
    'kill',
    'chown',
  ];
  return {
    'bin/busybox': { copy: '/bin/busybox' },
    ...Object.fromEntries(applets.map((name) => [`bin/${name}`, { link: 'busybox' }])),
    ...Object.fromEntries(libraries.map((file) => [file, { copy: file }])),
    'etc/passwd': PASSWD,
    tmp: { folder: true },
  };
}

/** Unpacks layers into a folder as the store has them. The first, lowest one is busybox. */
export function handMadeImage(
  parent: string,
  owners: FileOwners,
  upper: readonly LayerFiles[] = [],
): ImageRoot | undefined {
  const lowest = busyboxLayer();
  if (lowest === undefined) return undefined;
  const folder = mkdtempSync(path.join(parent, 'image-'));
  mkdirSync(path.join(folder, 'l'));
  const layers = [...upper.toReversed(), lowest];
  for (const [number, files] of layers.entries()) {
    const layer = path.join(folder, `layer${number}`);
    mkdirSync(layer);
    for (const [name, content] of Object.entries(files)) writeEntry(path.join(layer, name), content);
    openToAll(layer);
    symlinkSync(`../layer${number}`, path.join(folder, 'l', String(number)));
  }
  return { folder, layers: layers.length, owners };
}

function writeEntry(file: string, content: LayerFiles[string]): void {
  mkdirSync(path.dirname(file), { recursive: true });
  if (typeof content === 'string') return writeFileSync(file, content);
  if ('link' in content) return symlinkSync(content.link, file);
  if ('copy' in content) return cpSync(realpathSync(content.copy), file);
  mkdirSync(file);
  if (content.owner !== undefined) chownSync(file, content.owner, content.owner);
}
