'use strict';
// What V8 makes of the program where that of the build does not fit: with another version of Node, or with other flags
// for V8. A start with nothing compiled takes 50 ms more than one with. So what the first has compiled is kept for the
// next, in the user's folder for caches, as Node 22 does for modules (`module.enableCompileCache`; Node 20 has nothing
// of the kind). Nothing depends on it: where it cannot be kept or read, podrun compiles.
//
//   ~/.cache/podrun/BUILD/NODE/PACK        the code cache of a pack
//   ~/.cache/podrun/BUILD/NODE/commands    a JSON list of the commands that it was made with
//
// A command compiles what it calls; one that is not in the list adds its own.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const vm = require('node:vm');

const MONTH_MS = 30 * 24 * 3600 * 1000;

class Compiled {
  #folder;
  /** Names of packs and their scripts: those of this start. @type {Map<string, vm.Script>} */
  #scripts = new Map();
  #isNew = false;

  /** @param {string} build tells programs apart that are not the same */
  constructor(build) {
    if (process.env.NODE_DISABLE_COMPILE_CACHE !== undefined) return;
    this.#folder = path.join(cacheFolder(), build, `${process.version}-${process.arch}`);
    process.once('exit', () => this.#keep());
  }

  /** A script, compiled already if that is possible. */
  script(pack, source, filename) {
    const cachedData = this.#read(pack);
    const script = new vm.Script(source, { filename, cachedData });
    if (cachedData === undefined || script.cachedDataRejected) this.#isNew = true;
    this.#scripts.set(pack, script);
    return script;
  }

  /** V8 runs what it finds in a code cache: it must be our own. */
  #read(name) {
    if (this.#folder === undefined) return undefined;
    let file;
    try {
      file = fs.openSync(path.join(this.#folder, name), fs.constants.O_NOFOLLOW);
      const { uid, mode } = fs.fstatSync(file);
      return uid === process.getuid() && (mode & 0o022) === 0 ? fs.readFileSync(file) : undefined;
    } catch {
      return undefined;
    } finally {
      if (file !== undefined) fs.closeSync(file);
    }
  }

  #keep() {
    const commands = this.#commands();
    const [command] = process.exitCode === 0 ? (/^[a-z-]+$/.exec(process.argv[2]) ?? []) : [];
    const isNewCommand = command !== undefined && !commands.includes(command);
    if (!this.#isNew && !isNewCommand) return;
    try {
      fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      for (const [pack, script] of this.#scripts) this.#write(pack, script.createCachedData());
      if (isNewCommand) this.#write('commands', JSON.stringify([...commands, command]));
      removeOthers(path.dirname(this.#folder));
    } catch {
      // no room, or no right to: it is compiled again next time
    }
  }

  #commands() {
    try {
      return JSON.parse(this.#read('commands'));
    } catch {
      return [];
    }
  }

  /** Who reads meanwhile gets the old file or the new one, whole. */
  #write(name, content) {
    const file = path.join(this.#folder, name);
    const temporary = `${file}.${process.pid}`;
    try {
      fs.writeFileSync(temporary, content, { mode: 0o600 });
      fs.renameSync(temporary, file);
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    }
  }
}

function cacheFolder() {
  const given = process.env.XDG_CACHE_HOME;
  return path.join(given !== undefined && path.isAbsolute(given) ? given : path.join(os.homedir(), '.cache'), 'podrun');
}

/** What other builds have kept, when nobody has written there for a month. */
function removeOthers(own) {
  const all = path.dirname(own);
  for (const name of fs.readdirSync(all)) {
    const folder = path.join(all, name);
    if (folder === own || Date.now() - fs.statSync(folder).mtimeMs < MONTH_MS) continue;
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { Compiled };
