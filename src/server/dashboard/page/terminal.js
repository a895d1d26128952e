// A shell in a container. It sends whole lines: enough for a look at files and processes, without a terminal emulator.

import { openExec } from './api.js';
import { element } from './elements.js';

const OUTPUT_CHARACTERS_MAX = 200_000;
const STDIN = 0;
const OUTCOME = 3;

export function openTerminal(pod, container, signal) {
  const output = element('pre', { id: 'terminal', tabIndex: 0 });
  const prompt = element('input', { id: 'prompt', class: 'prompt', placeholder: 'A command for sh, then Enter' });
  prompt.setAttribute('aria-label', 'Command');
  prompt.autocomplete = 'off';
  let socket;
  const show = (text) => {
    output.textContent = (output.textContent + text).slice(-OUTPUT_CHARACTERS_MAX);
    output.scrollTop = output.scrollHeight;
  };
  const connected = () => {
    if (socket !== undefined) return socket;
    const opened = openExec(pod, container(), ['sh']);
    socket = opened;
    const decoder = new TextDecoder();
    opened.addEventListener('message', ({ data }) => {
      const [channel] = new Uint8Array(data);
      const text = decoder.decode(data.slice(1));
      if (channel !== OUTCOME) return show(text);
      const { status, message } = JSON.parse(text);
      if (status !== 'Success') show(`${message}\n`);
    });
    opened.addEventListener('close', () => {
      show('[the shell has ended]\n');
      socket = undefined;
    });
    return opened;
  };
  prompt.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const line = prompt.value;
    prompt.value = '';
    show(`$ ${line}\n`);
    const to = connected();
    const send = () => to.send(new Uint8Array([STDIN, ...new TextEncoder().encode(`${line}\n`)]));
    if (to.readyState === WebSocket.OPEN) send();
    else to.addEventListener('open', send, { once: true });
  });
  signal.addEventListener('abort', () => socket?.close());
  return [output, prompt];
}
