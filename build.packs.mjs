// How the program lies on disk: its modules in packs by what needs them, and of each pack what V8 makes of it. A start
// reads what it needs, not what all of podrun's commands need. All of it is one file, which a podrun keeps open:
// when podrun is built or installed anew, one that runs still finds its own.
//
//   header     one line of JSON, padded: { node, build, packs: { NAME: { text: [from, size], cache?: [from, size] } } }
//   NAME       a script whose value is a function: the pack as a CommonJS module
//   cache      its code cache, for that version of Node and no other

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rolldown } from 'rolldown';

/** Read by bin/podrun.js, which knows this number as well. */
const HEADER_SIZE = 8192;

/** Files for the command lines of `USES` and `SELDOM`, by the word that stands for each. */
const FILES = {
  SMALL: `
apiVersion: v1
kind: Pod
metadata: { name: small }
spec:
  restartPolicy: Never
  containers: [{ name: main, image: busybox, command: ['true'], env: [{ name: A, value: b }] }]
`,
  LARGE: `
apiVersion: v1
kind: Pod
metadata: { name: large }
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 1
  volumes: [{ name: shared, emptyDir: {} }, { name: config, configMap: { name: settings } }]
  initContainers:
    - { name: sidecar, image: busybox, restartPolicy: Always, command: ['sleep', '9'] }
    - { name: init, image: busybox, command: ['true'] }
  containers:
    - name: main
      image: busybox
      command: ['sh', '-c', 'echo started; sleep 0.2; exit 1']
      envFrom: [{ configMapRef: { name: settings } }]
      volumeMounts: [{ name: shared, mountPath: /mnt/shared }, { name: config, mountPath: /mnt/config }]
      lifecycle: { postStart: { exec: { command: ['true'] } } }
      readinessProbe: { exec: { command: ['true'] }, periodSeconds: 1 }
      livenessProbe: { tcpSocket: { port: 1 }, periodSeconds: 1 }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { A: b }
`,
  EXPECTED: `
pod: small
steps: [{ started: main }, { exited: main, code: 0 }]
`,
};

/**
 * What podrun is mostly used for. Modules that are loaded for the same uses are a pack, named after them. The command
 * lines are also what is compiled when podrun is built. Whether they succeed is not asked.
 */
const USES = {
  start: ['version'],
  check: ['validate SMALL'],
  run: ['apply SMALL --runtime process'],
  read: ['get', 'get pods -o yaml', 'describe', 'events', 'logs small', 'get none'],
  change: ['delete pod small', 'wait pod small --for=delete', 'exec none -- true'],
  apart: ['apply SMALL --runtime namespace'],
  more: ['apply LARGE --runtime process'],
  color: ['validate SMALL --color always'],
};
/** What these uses need is asked only where that use does not need it. */
const IMPLIED = { apart: 'run', more: 'run', color: 'check' };
/**
 * What is asked for less often, and can be while podrun is built. What only this needs is compiled as well. Its modules
 * are in packs as they are loaded, like those that no command line needs here: none reads what another needs.
 */
const SELDOM = [
  'history',
  'timeline small',
  'diff small@1 small',
  'advise small',
  'expect EXPECTED',
  'probes small',
  'top pods',
  'explain pod.spec.containers',
  'get pods --sort-by=.metadata.name -o jsonpath={.items[*].metadata.name}',
  'get pods -o custom-columns=NAME:.metadata.name',
  'get pods -o go-template={{.kind}}',
  'label pod small a=b --overwrite',
  'patch pod small -p {"metadata":{"annotations":{"a":"b"}}}',
  'condition pod small example.com/gate=True',
  'apply SMALL --runtime process --until ready --report report -o json',
  'apply SMALL --dry-run -o yaml',
  'gc --dry-run',
  'completion bash',
  '__complete get pods s',
  'init',
  'doctor',
];
/** The pack of the program itself, and of all that every use needs. */
const MAIN = 'podrun';

/** What the program is run with while it is built: tells which chunks were loaded, and what V8 made of the packs. */
const HOOK = `
  const fs = require('node:fs');
  const path = require('node:path');
  const vm = require('node:vm');
  const { Script } = vm;
  const made = new Map();
  vm.Script = class extends Script {
    constructor(text, options) {
      super(text, options);
      made.set(options.filename.split('#')[1], this);
    }
  };
  process.on('exit', () => {
    const place = (...names) => path.join(__dirname, ...names);
    for (const [pack, script] of made) fs.writeFileSync(place('caches', pack), script.createCachedData());
    for (const file of Object.keys(require.cache)) fs.writeFileSync(place('loaded', path.basename(file)), '');
  });
`;

/**
 * The program as one file.
 *
 * @param {import('rolldown').InputOptions} input with one entry, `podrun`
 * @param {string} launcher the script that starts the program
 * @returns {Promise<{ file: Buffer, modules: string[] }>} and the modules that it was made of
 */
export async function packed(input, launcher) {
  const bundle = await rolldown({ ...input, preserveEntrySignatures: 'allow-extension' });
  const trial = new Trial(launcher);
  try {
    const packOf = await packOfModules(bundle, trial);
    const groups = [{ name: (id) => packOf.get(id) ?? MAIN, debugName: 'packs' }];
    const codeSplitting = { includeDependenciesRecursively: false, groups };
    const { output } = await bundle.generate({ ...FORMAT, codeSplitting, minify: true });
    const packs = new Map(output.map(({ name, code }) => [name, asFunction(code)]));
    let caches = new Map();
    for (const lines of Object.values(USES)) caches = trial.caches(lines, archive(packs, caches));
    // What is asked for often must not read what something else has compiled.
    caches = new Map([...trial.caches(SELDOM, archive(packs, caches)), ...caches]);
    return { file: archive(packs, caches), modules: output.flatMap(({ moduleIds }) => moduleIds) };
  } finally {
    trial.end();
    await bundle.close();
  }
}

// Node's own modules come at once, and without a loader of modules.
const FORMAT = {
  format: 'cjs',
  comments: { legal: false },
  dynamicImportInCjs: false,
  chunkFileNames: '[name].cjs',
  entryFileNames: '[name].cjs',
};

/** The pack of each module, found by use: with the modules in as many chunks as they come in. */
async function packOfModules(bundle, trial) {
  const { output } = await bundle.generate({ ...FORMAT, chunkFileNames: '[name]-[hash].cjs' });
  const usesOf = new Map(output.map(({ fileName }) => [fileName, []]));
  for (const [use, lines] of Object.entries(USES))
    for (const file of trial.loaded(lines, output)) {
      const uses = usesOf.get(file);
      if (uses !== undefined && !uses.includes(IMPLIED[use])) uses.push(use);
    }
  const alone = (index) => `${index}-${output[index].name}`;
  return new Map(
    output.flatMap(({ fileName, moduleIds }, index) => {
      const uses = usesOf.get(fileName);
      const pack = uses.includes('start') ? MAIN : uses.join('-') || alone(index);
      return moduleIds.map((id) => [id, pack]);
    }),
  );
}

/** Latin-1, which V8 keeps in one byte a character. */
function asFunction(code) {
  const linked = code.replaceAll(/require\("\.\/([\w-]+)\.cjs"\)/g, 'require("#$1")');
  const ascii = linked.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return Buffer.from(`(function(require,exports,module,__filename){${ascii}\n})`, 'latin1');
}

/** @param {Map<string, Buffer>} packs @param {Map<string, Buffer>} caches what V8 made of them, where it is known */
function archive(packs, caches) {
  const parts = [];
  let end = HEADER_SIZE;
  const add = (part) => {
    parts.push(part);
    end += part.length;
    return [end - part.length, part.length];
  };
  const index = [...packs].map(([name, text]) => {
    const cache = caches.get(name);
    return [name, { text: add(text), ...(cache === undefined ? {} : { cache: add(cache) }) }];
  });
  const header = Buffer.alloc(HEADER_SIZE, ' ');
  const build = createHash('sha256')
    .update(Buffer.concat([...packs.values()]))
    .digest('hex')
    .slice(0, 16);
  const node = `${process.version}-${process.arch}`;
  const line = JSON.stringify({ node, build, packs: Object.fromEntries(index) });
  if (line.length > HEADER_SIZE) throw new Error(`the header of the packs takes ${line.length} bytes: see HEADER_SIZE`);
  header.write(line);
  return Buffer.concat([header, ...parts]);
}

/** A copy of podrun in a folder of its own, to try command lines with. */
class Trial {
  #folder = mkdtempSync(path.join(tmpdir(), 'podrun-build-'));

  /** @param {string} launcher */
  constructor(launcher) {
    for (const name of ['bin', 'dist', 'loaded', 'caches', 'work']) mkdirSync(this.#place(name));
    copyFileSync(launcher, this.#place('bin', 'podrun.js'));
    writeFileSync(this.#place('hook.cjs'), HOOK);
    for (const [name, text] of Object.entries(FILES)) writeFileSync(this.#place('work', name), text);
  }

  #place(...names) {
    return path.join(this.#folder, ...names);
  }

  /** Runs command lines with the program as plain modules. Answers the names of the files that were loaded. */
  loaded(lines, output) {
    for (const file of readdirSync(this.#place('loaded'))) rmSync(this.#place('loaded', file));
    for (const { fileName, code } of output) writeFileSync(this.#place('dist', fileName), code);
    this.#run(lines, this.#place('dist', 'podrun.cjs'));
    return readdirSync(this.#place('loaded'));
  }

  /** Runs command lines with the program as packs. Answers what V8 has made of each pack so far. */
  caches(lines, program) {
    writeFileSync(this.#place('dist', 'podrun.packs'), program);
    this.#run(lines, this.#place('bin', 'podrun.js'));
    const packs = readdirSync(this.#place('caches'));
    return new Map(packs.map((pack) => [pack, readFileSync(this.#place('caches', pack))]));
  }

  #run(lines, program) {
    for (const line of lines) {
      const args = [
        '--require',
        this.#place('hook.cjs'),
        program,
        ...line.split(' '),
        '--state-dir',
        this.#place('state'),
      ];
      spawnSync(process.execPath, args, { stdio: 'ignore', cwd: this.#place('work'), timeout: 20_000 });
    }
  }

  end() {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
