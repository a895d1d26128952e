'use strict';
// Loaded before podrun: counts its synchronous calls of node:fs on the files of the state folder $STATE, and writes the
// counts into the file $FILE_CALLS at the end: `{ "pods/default/*/owner.json": { "linkSync": 30 } }`. The star stands for
// the name of each Pod of the Job `many`.

const fs = require('node:fs');
const path = require('node:path');
const { syncBuiltinESMExports } = require('node:module');

const { FILE_CALLS: report, STATE: root } = process.env;
const counts = new Map();
/** The paths of open files, by descriptor. */
const open = new Map();
let isInside = false;

for (const [name, call] of Object.entries(fs)) {
  if (typeof call !== 'function' || !name.endsWith('Sync')) continue;
  const counted = function (...args) {
    // Node's own functions call each other.
    if (isInside) return call.apply(this, args);
    isInside = true;
    try {
      const result = call.apply(this, args);
      if (name === 'openSync') open.set(result, args[0]);
      return result;
    } finally {
      isInside = false;
      // The target of a symbolic link is no file: the link is.
      count(name, name === 'symlinkSync' ? args[1] : typeof args[0] === 'number' ? open.get(args[0]) : args[0]);
      if (name === 'closeSync') open.delete(args[0]);
    }
  };
  fs[name] = Object.assign(counted, call);
}
syncBuiltinESMExports();

function count(name, file) {
  if (typeof file !== 'string' || !file.startsWith(root)) return;
  const kind = path
    .relative(root, file)
    .replace(/\/many-[^/]+/, '/*')
    .replace(/\.tmp-[^/]+/, '*');
  const calls = counts.get(kind) ?? {};
  counts.set(kind, { ...calls, [name]: (calls[name] ?? 0) + 1 });
}

process.on('exit', () => fs.writeFileSync(report, JSON.stringify(Object.fromEntries(counts))));
