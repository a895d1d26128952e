// Loaded into the process that is measured: tells how late its event loop is, from `begin` to `end`.

const { monitorEventLoopDelay } = require('node:perf_hooks');

const RESOLUTION_MS = 10;
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();
process.on('message', (question) => {
  if (question === 'begin') delays.reset();
  // What it counts is the time between two looks.
  process.send({ p99Ms: Math.max(0, delays.percentile(99) / 1e6 - RESOLUTION_MS) });
});
process.channel.unref();
