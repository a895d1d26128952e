// Preloaded into podrun: sends its memory to the parent process whenever it is asked. Needs --expose-gc.

process.on('message', () => {
  void import('./memory.mjs').then(({ memory }) => process.send(memory()));
});
process.channel?.unref();
