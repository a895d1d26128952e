import type { SharedFolder, StarterOptions } from './parts.ts';

/** The containers that start before the main container: preparation, then the sidecar. */
export function initContainers({ parts }: StarterOptions, folder: SharedFolder): string[] {
  const containers = [...(parts.has('init') ? prepare(folder) : []), ...(parts.has('sidecar') ? sidecar(folder) : [])];
  return containers.length === 0
    ? []
    : ['  # They start in this order, before the containers below.', '  initContainers:', ...containers];
}

const prepare = (folder: SharedFolder): string[] => [
  '    - name: prepare # the next container starts when this one has ended with exit code 0',
  '      image: busybox:1.37',
  ...folder.lines(),
  '      command:',
  '        - sh',
  '        - -c',
  '        - |',
  '          echo "prepared at $(date)" > prepared',
  '          echo "everything is prepared"',
];

const sidecar = (folder: SharedFolder): string[] => [
  '    - name: tail # shows what the main container writes into its log file',
  '      image: busybox:1.37',
  '      # This makes it a sidecar: the next container starts as soon as it runs. It is stopped after main,',
  '      # and the Pod does not wait for its end.',
  '      restartPolicy: Always',
  ...folder.lines(),
  '      command:',
  '        - sh',
  '        - -c',
  '        - |',
  "          trap 'exit 0' TERM",
  '          touch main.log',
  '          tail -f main.log &',
  '          wait # a shell that waits hears SIGTERM at once',
];
