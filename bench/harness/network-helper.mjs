// podrun's helper process without a network of its own: it serves the requested ports on this machine.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** @param {string} root path of the project with the build */
export function startHelper(root) {
  // It ends with its input.
  const stdio = ['pipe', 'ignore', 'ignore', 'ipc'];
  const helper = fork(path.join(root, 'dist/network-helper.cjs'), { serialization: 'advanced', stdio });
  let lastId = 0;
  return {
    /** Sends a request, with a socket if there is one: from then on, the helper alone may read from it. */
    async ask(request, socket) {
      const response = once(helper, 'message');
      helper.send({ ...request, id: ++lastId }, socket, () => socket?.close());
      const [{ error }] = await response;
      if (error !== undefined) throw new Error(error.message);
    },
    close: () => void helper.kill('SIGKILL'),
  };
}
