// Loaded into the measured process: reports the delay of its event loop between `begin` and `end`. The processes that
// it starts get the same flags of Node.js, but no channel: they measure nothing.

const { monitorEventLoopDelay } = require('node:perf_hooks');

const RESOLUTION_MS = 10;
if (process.channel !== undefined) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  process.on('message', (question) => {
    // The histogram holds the times between two samples, so the resolution is subtracted.
    const p99Ms = Math.max(0, delays.percentile(99) / 1e6 - RESOLUTION_MS);
    const maxMs = Math.max(0, delays.max / 1e6 - RESOLUTION_MS);
    if (question === 'begin') delays.reset();
    process.send({ p99Ms, maxMs });
  });
  process.channel.unref();
}
