// Records the session at the top of the README: runs its commands in a real terminal and draws what was on the screen,
// moment by moment, as an animated SVG.
//
//   npm run record            # writes docs/recording/session.svg
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { drawing } from './drawing.mjs';

const COLUMNS = 96;
const ROWS = 28;
const COMMANDS = ['podrun apply fixtures/pipeline.yaml', 'podrun get pods', 'podrun timeline pipeline'];
const KEY_MS = 45;
const READ_MS = 1800;
const LAST_READ_MS = 6000;

const project = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'podrun-recording-'));
const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });

/** What was on the screen from `atMs` on; the time of the recording, in which nobody waits for a typist. */
const frames = [];
let atMs = 0;

const shown = (text) => new Promise((resolve) => terminal.write(text, resolve));

function keep() {
  const buffer = terminal.buffer.active;
  const rows = Array.from({ length: ROWS }, (_, row) => cellsOf(buffer.getLine(buffer.viewportY + row)));
  const text = JSON.stringify(rows);
  if (frames.at(-1)?.text !== text) frames.push({ atMs, rows, text });
}

/** A row as runs of cells that look alike. */
function cellsOf(line) {
  const runs = [];
  for (let column = 0; column < COLUMNS; column++) {
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

async function type(command) {
  await shown('\u001B[32m$\u001B[0m ');
  keep();
  atMs += 500;
  for (const key of command) {
    await shown(key);
    keep();
    atMs += KEY_MS;
  }
  atMs += 250;
  await shown('\r\n');
}

async function run(command) {
  const [, ...args] = command.split(' ');
  const startMs = performance.now();
  const beginMs = atMs;
  const { NO_COLOR: _, ...environment } = process.env;
  const child = spawn(process.execPath, [path.join(project, 'bin/podrun.js'), ...args], {
    cols: COLUMNS,
    rows: ROWS,
    cwd: project,
    env: { ...environment, TERM: 'xterm-256color', PODRUN_STATE_DIR: path.join(folder, 'state') },
  });
  let writing = Promise.resolve();
  child.onData((text) => {
    const now = beginMs + performance.now() - startMs;
    writing = writing.then(async () => {
      await shown(text);
      atMs = now;
      keep();
    });
  });
  await new Promise((resolve) => child.onExit(resolve));
  await writing;
}

for (const command of COMMANDS) {
  await type(command);
  await run(command);
  keep();
  atMs += command === COMMANDS.at(-1) ? LAST_READ_MS : READ_MS;
}
writeFileSync(
  fileURLToPath(new URL('session.svg', import.meta.url)),
  drawing({ frames, durationMs: atMs, columns: COLUMNS, rows: ROWS, title: 'A session with podrun' }),
);
rmSync(folder, { recursive: true });
