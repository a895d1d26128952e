import { onDefect } from '../src/defects.ts';

/** A defect that a test does not expect fails the run: podrun itself would tell it and go on. */
onDefect((defect) => {
  queueMicrotask(() => {
    throw defect;
  });
});
