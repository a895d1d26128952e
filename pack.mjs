// Makes npm pack a package.json without what only a clone needs: npm warns of the script `prepare` when it installs a
// tarball. npm runs this before it packs, with `strip`, and behind, with `restore`.

import { existsSync, linkSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const file = path.join(import.meta.dirname, 'package.json');
const whole = path.join(import.meta.dirname, '.package.json.whole');

// It is there at first when npm was killed while it packed.
if (existsSync(whole)) renameSync(whole, file);
if (process.argv[2] === 'strip') {
  const fields = Object.entries(JSON.parse(readFileSync(file, 'utf8')));
  const packed = fields.filter(([name]) => !['scripts', 'devDependencies', 'allowScripts'].includes(name));
  const stripped = `${whole}.stripped`;
  writeFileSync(stripped, `${JSON.stringify(Object.fromEntries(packed), null, 2)}\n`);
  linkSync(file, whole);
  renameSync(stripped, file);
}
