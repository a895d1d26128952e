'use strict';
// The first thing that the traced program loads: notes each function that is entered, and where a trip begins and ends.
// It sees this at the edges of Node.js, so that nothing in src has to know of it, and files may move.

const { ChildProcess } = require('node:child_process');
const { subscribe } = require('node:diagnostics_channel');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');

/** In the name of a manifest, and in the command of a container or a probe: what the trips are about. */
const WORD = 'podrun-trip';
const SERVICE_PORT = 8080;
/** The start of podrun is over when it has entered nothing for so long. */
const QUIET_MS = 500;
/** A timer of this length or longer is for work that recurs, such as a lease: it has no part in a trip. */
const RECURRING_MS = 1000;
const { PODRUN_TRIPS: folder } = process.env;
const { setTimeout, setInterval } = globalThis;
const { writeFileSync } = fs;

/** The numbers of the functions, in the order in which they were entered. */
const calls = [];
/** The events at the edges, each with the number of functions entered before. */
const marks = [];
let isRecurring = false;

globalThis.recordCall = (number) => {
  if (!isRecurring) calls.push(number);
};

globalThis.setTimeout = (ring, ms, ...args) => {
  if (!(ms >= RECURRING_MS)) return setTimeout(ring, ms, ...args);
  const unrecorded = () => {
    isRecurring = true;
    try {
      ring(...args);
    } finally {
      isRecurring = false;
    }
  };
  return setTimeout(unrecorded, ms);
};

/** Programs of the trips wait for the file. */
function mark(name) {
  marks.push({ name, at: calls.length });
  writeFileSync(path.join(folder, name), '');
}

/** Has `look` called with the arguments of a method before each call of it. */
function before(object, method, look) {
  const original = object[method];
  object[method] = function (...args) {
    look.apply(this, args);
    return original.apply(this, args);
  };
}

const has = (value) => String(value).includes(WORD);
/** The server has its containers started by the process that keeps them. */
const isOrder = (data) => has(data) && String(data).includes('"type":"start"');

before(fs, 'readFileSync', (file) => has(file) && mark('read'));
before(fs, 'writeSync', (descriptor) => descriptor === 1 && mark('print'));
before(ChildProcess.prototype, 'spawn', ({ args }) => has(args) && mark('spawn'));
before(ChildProcess.prototype, 'emit', function (name) {
  if (name === 'exit' && has(this.spawnargs)) mark('exit');
});
before(net.Server.prototype, 'listen', ({ port }) => port === SERVICE_PORT && mark('listen'));
before(net.Socket.prototype, 'write', function (data) {
  if (this.fd === 1) mark('print');
  else if (isOrder(data)) mark('order');
});
before(net.Socket.prototype, 'push', (data) => isOrder(data) && mark('ordered'));
subscribe('http.server.request.start', ({ request }) => request.method === 'POST' && mark('post'));

let known = 0;
const looking = setInterval(() => {
  const isQuiet = calls.length === known;
  known = calls.length;
  if (!isQuiet) return;
  clearInterval(looking);
  mark('quiet');
}, QUIET_MS).unref();

process.on('exit', () => writeFileSync(path.join(folder, `${process.pid}.json`), JSON.stringify({ calls, marks })));
