// Records the sessions of the README: runs their commands in a real terminal and draws the screen, moment by moment, as
// an animated SVG.
//
//   npm run record            # writes docs/recording/session.svg and docs/recording/live.svg
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { drawing } from './drawing.mjs';

const DOWN = '\u001B[B';
const ESCAPE = '\u001B';

/** The sessions. `keys` are typed while the last command runs: each after its time in milliseconds. */
const SESSIONS = [
  {
    file: 'session.svg',
    title: 'A session with podrun',
    columns: 120,
    rows: 26,
    commands: ['podrun apply fixtures/pipeline.yaml', 'podrun get pods', 'podrun timeline pipeline'],
    keys: [],
  },
  {
    file: 'live.svg',
    title: 'The live view of podrun',
    columns: 80,
    rows: 24,
    commands: ['podrun apply fixtures/workloads/ingress.yaml'],
    keys: [
      [5000, DOWN],
      [1500, 'l'],
      [2500, 'r'],
      [4000, ESCAPE],
      [2000, 'q'],
    ],
  },
];
const KEY_MS = 45;
const READ_MS = 1800;
const LAST_READ_MS = 6000;

const project = fileURLToPath(new URL('../..', import.meta.url));

/** One session: the screen, and what it has shown. */
class Recording {
  #session;
  #terminal;
  #folder = mkdtempSync(path.join(tmpdir(), 'podrun-recording-'));
  /** The rows of the screen from `atMs` on; the time of the recording, in which nobody waits for a typist. */
  #frames = [];
  #atMs = 0;

  constructor(session) {
    this.#session = session;
    this.#terminal = new xterm.Terminal({ cols: session.columns, rows: session.rows, allowProposedApi: true });
  }

  async record() {
    const { commands, columns, rows, title, file } = this.#session;
    for (const command of commands) {
      const isLast = command === commands.at(-1);
      await this.#type(command);
      await this.#run(command, isLast ? this.#session.keys : []);
      this.#keep();
      this.#atMs += isLast ? LAST_READ_MS : READ_MS;
    }
    const text = drawing({ frames: this.#frames, durationMs: this.#atMs, columns, rows, title });
    writeFileSync(fileURLToPath(new URL(file, import.meta.url)), text);
    rmSync(this.#folder, { recursive: true });
  }

  #shown(text) {
    return new Promise((resolve) => this.#terminal.write(text, resolve));
  }

  #keep() {
    const { active } = this.#terminal.buffer;
    const rows = Array.from({ length: this.#session.rows }, (_, row) =>
      cellsOf(active.getLine(active.viewportY + row), this.#session.columns),
    );
    const text = JSON.stringify(rows);
    if (this.#frames.at(-1)?.text !== text) this.#frames.push({ atMs: this.#atMs, rows, text });
  }

  async #type(command) {
    await this.#shown('\u001B[32m$\u001B[0m ');
    this.#keep();
    this.#atMs += 500;
    for (const key of command) {
      await this.#shown(key);
      this.#keep();
      this.#atMs += KEY_MS;
    }
    this.#atMs += 250;
    await this.#shown('\r\n');
  }

  async #run(command, keys) {
    const { columns, rows } = this.#session;
    const [, ...args] = command.split(' ');
    const startMs = performance.now();
    const beginMs = this.#atMs;
    const { NO_COLOR: _, CI: _ci, ...environment } = process.env;
    const child = spawn(process.execPath, [path.join(project, 'bin/podrun.js'), ...args], {
      cols: columns,
      rows,
      cwd: project,
      env: { ...environment, TERM: 'xterm-256color', PODRUN_STATE_DIR: path.join(this.#folder, 'state') },
    });
    let writing = Promise.resolve();
    child.onData((text) => {
      const now = beginMs + performance.now() - startMs;
      writing = writing.then(async () => {
        await this.#shown(text);
        this.#atMs = now;
        this.#keep();
      });
    });
    const ended = new Promise((resolve) => child.onExit(resolve));
    for (const [afterMs, key] of keys) {
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      child.write(key);
    }
    await ended;
    await writing;
  }
}

/** A row as runs of cells that look alike. */
function cellsOf(line, columns) {
  const runs = [];
  for (let column = 0; column < columns; column++) {
    const cell = line?.getCell(column);
    const text = cell?.getChars() || ' ';
    const look = cell && {
      color: cell.isFgPalette() ? cell.getFgColor() : undefined,
      bold: cell.isBold() !== 0,
      dim: cell.isDim() !== 0,
      inverse: cell.isInverse() !== 0,
    };
    const last = runs.at(-1);
    if (last !== undefined && JSON.stringify(last.look) === JSON.stringify(look)) last.text += text;
    else runs.push({ column, text, look });
  }
  return runs.filter(({ text, look }) => text.trim() !== '' || look?.inverse);
}

for (const session of SESSIONS) await new Recording(session).record();
