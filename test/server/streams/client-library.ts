import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { Exec, KubeConfig, PortForward, type V1Status } from '@kubernetes/client-node';

function configOf(kubeconfig: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  return config;
}

/** The end of a command, and the texts of its streams. */
interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: string | undefined;
}

/** Runs a script in the container `main` of the Pod `web` with @kubernetes/client-node. */
export async function runByLibrary(kubeconfig: string, script: string, input: string): Promise<Outcome> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const texts = { stdout: '', stderr: '' };
  stdout.on('data', (piece: Buffer) => (texts.stdout += piece.toString()));
  stderr.on('data', (piece: Buffer) => (texts.stderr += piece.toString()));
  const exec = new Exec(configOf(kubeconfig));
  const words = ['sh', '-c', script];
  const status = await new Promise<V1Status>((resolve, reject) => {
    exec.exec('default', 'web', 'main', words, stdout, stderr, stdin, false, resolve).catch(reject);
    stdin.write(input);
  });
  return { ...texts, exitCode: status.details?.causes?.[0]?.message };
}

/** Sends a text to a port of the Pod `web` with @kubernetes/client-node. Answers what comes back. */
export async function forwardByLibrary(kubeconfig: string, port: number, text: string): Promise<string> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const forward = new PortForward(configOf(kubeconfig));
  const socket = await forward.portForward('default', 'web', [port], output, null, input);
  input.write(text);
  const [piece] = (await once(output, 'data')) as [Buffer];
  if ('close' in socket) socket.close();
  return piece.toString();
}
