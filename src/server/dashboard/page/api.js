// Requests to the API of Kubernetes, with the session of this page.

const KEPT = 'podrun-session';
const RETRY_MS = 1000;

/** Takes the code of the link, once, for a session that lasts as long as `podrun dashboard`. */
export async function openSession() {
  const code = location.hash.startsWith('#code=') ? location.hash.slice('#code='.length) : '';
  if (code !== '') {
    history.replaceState(null, '', '#/');
    const answer = await fetch('session', { method: 'POST', body: code });
    if (answer.ok) sessionStorage.setItem(KEPT, await answer.text());
  }
  return sessionStorage.getItem(KEPT) !== null;
}

function session() {
  return sessionStorage.getItem(KEPT) ?? '';
}

/** @throws {Error} with the message of the API server */
export async function request(path, signal, accept = '*/*') {
  const headers = { authorization: `Bearer ${session()}`, accept };
  const answer = await fetch(path, { signal, headers });
  if (answer.ok) return answer;
  const text = await answer.text();
  throw new Error(text.startsWith('{') ? JSON.parse(text).message : text);
}

async function list(path) {
  return (await request(path)).json();
}

/** The objects of a list as `podrun get` prints them: columns, and rows of cells with the metadata of the object. */
export async function listTable(path) {
  const answer = await request(path, undefined, 'application/json;as=Table;v=v1;g=meta.k8s.io');
  const { columnDefinitions: columns, rows } = await answer.json();
  return { columns, rows: rows ?? [] };
}

/** The URLs at which this machine reaches Services and Ingresses. */
export async function listUrls() {
  return (await request('urls')).json();
}

/** The drawing of `podrun timeline`. */
export async function readTimeline({ namespace, name }) {
  const query = new URLSearchParams({ namespace, name });
  return (await request(`timeline?${query}`)).text();
}

/** Calls back with each piece of text of an answer, until it ends or the signal aborts it. */
export async function read(path, signal, onText) {
  const answer = await request(path, signal);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) onText(piece.value);
}

/** Keeps `objects`, a Map by uid, as the server has them. Never ends. */
export async function follow(path, objects, onChange) {
  for (;;) {
    try {
      const { items, metadata } = await list(path);
      objects.clear();
      for (const item of items) objects.set(item.metadata.uid, item);
      onChange(true);
      let rest = '';
      await read(`${path}?watch=true&resourceVersion=${metadata.resourceVersion}`, undefined, (text) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop();
        for (const line of lines) take(JSON.parse(line), objects);
        onChange(true);
      });
    } catch {
      onChange(false);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

function take({ type, object }, objects) {
  if (type === 'ERROR') return;
  if (type === 'DELETED') objects.delete(object.metadata.uid);
  else objects.set(object.metadata.uid, object);
}

/** Opens exec in a container, over the channels of a websocket. */
export function openExec(pod, container, command) {
  const { namespace, name } = pod.metadata;
  const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', stderr: 'true' });
  for (const word of command) query.append('command', word);
  const url = new URL(`api/v1/namespaces/${namespace}/pods/${name}/exec?${query}`, location.href);
  url.protocol = 'ws:';
  const token = btoa(session()).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const socket = new WebSocket(url, ['v5.channel.k8s.io', `base64url.bearer.authorization.k8s.io.${token}`]);
  socket.binaryType = 'arraybuffer';
  return socket;
}
