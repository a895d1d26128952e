import type { StoredPod } from '../../api/index.ts';
import { podHostname } from '../../lifecycle/index.ts';
import type { LaunchStep } from './step.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables that containers inherit from podrun: enough to find and run the host's programs, and nothing that makes
 * a Pod depend on the terminal.
 */
const INHERITED = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TERM)$/;

/** The address on which a program of the Pod should listen, so that other Pods can use the same port. */
const POD_IP_VARIABLE = 'POD_IP';

/** Offers the Pod's address and hostname, and without an image podrun's own variables and working directory. */
export function hostEnvironmentStep(hostEnv: Environment, cwd: string): LaunchStep {
  const inherited = inheritedVariables(hostEnv);
  return {
    prepare({ pod, sandbox: { podIP } }, { image }) {
      const address = podIP === undefined ? {} : { [POD_IP_VARIABLE]: podIP };
      const own = { ...address, ...hostnameVariable(pod) };
      if (image !== undefined) return { ok: true, changes: { cwd: '/', defaults: own } };
      return { ok: true, changes: { cwd, defaults: { ...inherited, ...own } } };
    },
  };
}

/** The variables of this environment that containers inherit. */
export function inheritedVariables(env: Environment): Record<string, string> {
  // Reading a variable of process.env is a system library call: read only the inherited ones.
  const names = Object.keys(env).filter((name) => INHERITED.test(name));
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** The HOSTNAME variable. A Pod with an invalid hostname gets no sandbox, and so no container. */
function hostnameVariable(pod: StoredPod): Record<string, string> {
  const name = podHostname(pod);
  return name.ok ? { HOSTNAME: name.hostname } : {};
}
