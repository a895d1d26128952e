import { expect, it } from 'vitest';
import { readTrace, replay } from './replay.ts';
import { historiesOf, passesThrough, withoutGenerated } from './histories.ts';
const names = (process.env['TRACES'] ?? '').split(',');
it.each(names)('%s', (name) => {
  const lines = readTrace(name);
  const rep = replay(lines);
  const kinds = ['Job','ReplicaSet','ReplicationController','Deployment','StatefulSet','DaemonSet','CronJob','Pod','ControllerRevision','PersistentVolumeClaim'];
  const wrong: string[] = [];
  for (const object of rep.recorded()) {
    if (!kinds.includes(object.kind)) continue;
    const uid = object.metadata.uid;
    const mine = rep.ours(uid);
    const key = object.kind + ' ' + object.metadata.name;
    if (!mine) { wrong.push(key + ' missing'); continue; }
    const theirs = historiesOf(lines.filter((l) => l.object?.metadata.uid === uid).map((l) => l.object!));
    const ours = historiesOf(rep.world.writes.filter((w) => w.object.metadata.uid === mine.metadata.uid).map((w) => w.object));
    for (const f of new Set([...Object.keys(theirs), ...Object.keys(ours)])) if (!passesThrough(ours[f] ?? [], theirs[f] ?? [])) wrong.push(key + ' ' + f + '\n   theirs ' + theirs[f]?.join(' ; ') + '\n   ours   ' + ours[f]?.join(' ; '));
  }
  const te: any = new Map();
  for (const l of lines) if (l.object?.kind === 'Event') { const o: any = l.object; if (/controller/.test(o.reportingComponent)) te.set(o.metadata.uid, [o.reportingComponent, o.involvedObject.kind, o.type, o.reason, withoutGenerated(o.message), o.count ]); }
  const count: any = {}; 
  for (const [c,k,t,r,m,n] of te.values()) { const key=[c,k,t,r,m].join('|'); count[key] = (count[key] ?? 0) + n; }
  const oe: any = {};
  for (const e of rep.world.events) { const k = [e.component, e.on, e.type, e.reason, withoutGenerated(e.message)].join('|'); oe[k] = (oe[k] ?? 0) + 1; }
  for (const k of new Set([...Object.keys(count), ...Object.keys(oe)])) if (count[k] !== oe[k]) wrong.push('event ' + k + ' theirs ' + count[k] + ' ours ' + oe[k]);
  const all = (o: any[]) => o.filter((x) => kinds.includes(x.kind)).length;
  const made = rep.world.writes.filter((w) => w.type === 'ADDED').map((w) => w.object);
  if (all(made) !== all(rep.recorded())) wrong.push('objects: theirs ' + all(rep.recorded()) + ' ours ' + all(made));
  expect(wrong.join('\n')).toBe('');
});
