// One Pod: conditions, containers, timeline, events, log, terminal.

import { read, readTimeline } from './api.js';
import { age, element, state, table } from './elements.js';
import { stateOf } from './overview.js';
import { openTerminal } from './terminal.js';

/**
 * The parts that change with the Pod.
 * @param word its STATUS, as `podrun get pods` shows it
 */
export function podParts(pod, events, word) {
  const about = [...events.values()].filter((event) => event.involvedObject?.uid === pod.metadata.uid);
  return [
    element('h2', {}, `${pod.metadata.namespace}/${pod.metadata.name} `, stateOf(word)),
    table(
      'conditions',
      ['Condition', 'Status', 'Reason', 'Message', 'Since'],
      (pod.status.conditions ?? []).map(({ type, status, reason, message, lastTransitionTime }) => [
        type,
        state(status, status === 'True', false),
        reason,
        message,
        age(lastTransitionTime),
      ]),
    ),
    element('h2', {}, 'Happenings'),
    table(
      'happenings',
      ['Time', 'Subject', 'Happening'],
      happenings(pod, about).map(({ time, subject, text, isBad }) => [clock(time), subject, state(text, false, isBad)]),
    ),
    element('h2', {}, 'Events'),
    table(
      'events',
      ['Type', 'Reason', 'Count', 'Message'],
      about.map(({ type, reason, count, message }) => [type, reason, String(count ?? 1), message]),
    ),
  ];
}

function clock(time) {
  return new Date(time).toLocaleTimeString();
}

/** The known happenings in the life of a Pod, in the order of time. */
function happenings({ metadata, status }, events) {
  const all = [{ time: metadata.creationTimestamp, subject: 'Pod', text: 'created' }];
  for (const { type, status: is, lastTransitionTime } of status.conditions ?? [])
    all.push({ time: lastTransitionTime, subject: 'Pod', text: is === 'True' ? type : `not ${type}` });
  for (const { name, state: now, lastState } of [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
  ]) {
    for (const { running, terminated } of [lastState ?? {}, now ?? {}]) {
      const startedAt = running?.startedAt ?? terminated?.startedAt;
      if (startedAt) all.push({ time: startedAt, subject: name, text: 'started' });
      if (!terminated?.finishedAt) continue;
      const text = `exited with code ${terminated.exitCode}`;
      all.push({ time: terminated.finishedAt, subject: name, text, isBad: terminated.exitCode !== 0 });
    }
  }
  for (const { type, reason, lastTimestamp, eventTime } of events)
    all.push({ time: lastTimestamp ?? eventTime, subject: 'Event', text: reason, isBad: type === 'Warning' });
  return all.filter(({ time }) => time).sort((one, other) => Date.parse(one.time) - Date.parse(other.time));
}

const DRAW_AGAIN_MS = 1000;
const LOG_CHARACTERS_MAX = 200_000;

/** The parts that stay while the Pod changes: its timeline, its log, and a terminal. `refresh` draws the first anew. */
export function podTools(pod, signal) {
  const names = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].map(({ name }) => name);
  const running = pod.spec.containers.at(0)?.name;
  const log = element('pre', { id: 'log', tabIndex: 0 });
  const choice = element(
    'select',
    { id: 'container', onchange: () => showLog() },
    ...names.map((name) => element('option', { selected: name === running }, name)),
  );
  choice.setAttribute('aria-label', 'Container');
  let reading = new AbortController();
  signal.addEventListener('abort', () => reading.abort());
  const showLog = async () => {
    reading.abort();
    reading = new AbortController();
    log.textContent = '';
    const { namespace, name } = pod.metadata;
    const query = new URLSearchParams({ container: choice.value, follow: 'true', tailLines: '500' });
    try {
      await read(`api/v1/namespaces/${namespace}/pods/${name}/log?${query}`, reading.signal, (text) => {
        const isAtEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 20;
        log.textContent = (log.textContent + text).slice(-LOG_CHARACTERS_MAX);
        if (isAtEnd) log.scrollTop = log.scrollHeight;
      });
    } catch (error) {
      if (error.name !== 'AbortError') log.textContent = error.message;
    }
  };
  void showLog();
  const drawing = element('pre', { id: 'timeline', tabIndex: 0 });
  let isDrawing = false;
  const refresh = async () => {
    if (isDrawing) return;
    isDrawing = true;
    const text = await readTimeline(pod.metadata).catch(({ message }) => message);
    if (drawing.textContent !== text) drawing.textContent = text;
    setTimeout(() => (isDrawing = false), DRAW_AGAIN_MS);
  };
  const parts = [
    element('h2', {}, 'Timeline'),
    drawing,
    element('h2', {}, 'Container ', choice),
    element('h2', {}, 'Log'),
    log,
    element('h2', {}, 'Terminal'),
    ...openTerminal(pod, () => choice.value, signal),
  ];
  return { parts, refresh };
}
