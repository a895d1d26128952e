import type { Reporter, TestModule } from 'vitest/node';

declare module 'vitest' {
  interface TaskMeta {
    /** The processes that ran when the workshop of the test was closed, by pid and command line. It has killed them. */
    left?: string[];
  }
}

/** Tells at the end of a run which tests have left processes running. */
export class LeftReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap((module) => [...leftIn(module)]);
    if (lines.length > 0)
      process.stdout.write(`\nTests have left processes running, which were killed:\n${lines.join('\n')}\n`);
  }
}

function* leftIn(module: TestModule): Generator<string> {
  for (const test of module.children.allTests()) {
    const { left = [] } = test.meta();
    if (left.length > 0) yield [`  ${module.relativeModuleId} > ${test.fullName}`, ...left].join('\n    ');
  }
}
