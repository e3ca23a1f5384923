import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DCLinter } from 'dclint';
import { parse, parseAllDocuments } from 'yaml';
import { describe, expect, it } from 'vitest';
import { compile, inProject } from '../support/compile.js';

const DEPLOY = new URL('../../docs/deploy/', import.meta.url).pathname;
const KUBERNETES = join(DEPLOY, 'kubernetes');
const read = (...path: readonly string[]): string => readFileSync(join(DEPLOY, ...path), 'utf8');

/** What Roost itself understands. */
const OWN = new Set(
  [...readFileSync('.env.example', 'utf8').matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name!),
);
/** What the script and the migration of this folder read. */
const READ_HERE = new Set(
  ['create-bucket.mjs', 'migrations/1767300000_deployment.js'].flatMap((name) =>
    /const \{ ([^}]+) \} = process\.env/.exec(read(name))![1]!.split(', '),
  ),
);

/** Anything that was read from YAML. */
// oxlint-disable-next-line typescript/no-explicit-any
type Parsed = any;

/** What the linter has to say; its package has no types that a program with this kind of modules finds. */
interface Lint {
  readonly rule: string;
  readonly category: string;
  readonly message: string;
  readonly line: number;
  readonly data?: unknown;
}

interface Manifest {
  readonly file: string;
  readonly body: Parsed;
}

const manifests: readonly Manifest[] = readdirSync(KUBERNETES).flatMap((file) =>
  parseAllDocuments(read('kubernetes', file), { strict: true }).map((document) => ({ file, body: document.toJS() })),
);
const ofKind = (kind: string): Parsed => manifests.find(({ body }) => body.kind === kind)!.body;
const compose: Parsed = parse(read('compose.yaml'), { merge: true });
const deployment = ofKind('Deployment');
const container = deployment.spec.template.spec.containers[0];
const nginx = read('nginx.conf');

const modelOf = ({ apiVersion, kind }: Parsed): string => `kubernetes-models/${apiVersion}/${kind}`;

/** Values that Kubernetes does not take. */
async function wrongValues({ apiVersion, kind, ...rest }: Parsed): Promise<string | undefined> {
  const { [kind]: Model } = await import(modelOf({ apiVersion, kind }));
  try {
    new Model({ ...rest }).validate();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Properties that it does not know: the compiler tells them in a literal, the schemas take all of them. */
function wrongNames(bodies: readonly Parsed[]): readonly string[] {
  const lines = bodies.flatMap((body, index) => [
    `import type { I${body.kind} as I${index} } from '${modelOf(body)}';`,
    `export const manifest${index}: I${index} = ${JSON.stringify(body)};`,
  ]);
  return compile(new Map([[inProject('test/docs/manifests.ts'), lines.join('\n')]]));
}

/** Names that Roost is started with and does not know, and which nothing here reads. */
function unknown(names: readonly string[], environment: Readonly<Record<string, string>>): readonly string[] {
  return names.filter((name) => !OWN.has(name) && !READ_HERE.has(name) && name !== environment['ROOST_ENCRYPTION_ENV']);
}

describe('examples of deployments', () => {
  it('SCALE-28 has manifests that Kubernetes takes', async () => {
    for (const { file, body } of manifests) expect([file, await wrongValues(body)]).toEqual([file, undefined]);
    expect(wrongNames(manifests.map(({ body }) => body))).toEqual([]);
    expect(manifests.map(({ body }) => body.kind).sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'PodDisruptionBudget',
      'Secret',
      'Service',
    ]);
  });

  it('SCALE-28 would notice a manifest that Kubernetes does not take', async () => {
    const withContainer = (change: object): Parsed => {
      const { spec } = deployment;
      const pod = { ...spec.template.spec, containers: [{ ...container, ...change }] };
      return { ...deployment, spec: { ...spec, template: { ...spec.template, spec: pod } } };
    };
    expect(wrongNames([withContainer({ readynessProbe: container.readinessProbe })]).join()).toContain(
      'readynessProbe',
    );
    expect(await wrongValues(withContainer({ ports: [{ containerPort: '8090' }] }))).toContain('containerPort');
    expect(await wrongValues(withContainer({ readinessProbe: { httpGet: { path: '/' } } }))).toContain('port');
  });

  it('SCALE-28 has a compose file that Compose takes', () => {
    const linter = new DCLinter({ rules: {}, quiet: false, debug: false, exclude: [] });
    const [result] = linter.lintFiles([join(DEPLOY, 'compose.yaml')], false);
    const serious = (result!.messages as readonly Lint[]).filter(
      ({ rule, category }) => rule === 'invalid-schema' || category !== 'style',
    );
    // The tag of the image that is built here is of no interest.
    const meant = serious.filter(({ rule, data }) => rule !== 'service-image-require-explicit-tag' || !isOwn(data));
    expect(meant.map(({ rule, message, line }) => ({ rule, message, line }))).toEqual([]);
  });

  it('SCALE-28 names only variables that there are', () => {
    for (const name of ['roost-1', 'roost-2', 'migrate']) {
      const { environment } = compose.services[name];
      expect(unknown(Object.keys(environment), environment)).toEqual([]);
    }
    const config = { ...ofKind('ConfigMap').data, ...ofKind('Secret').stringData };
    expect(unknown(Object.keys(config), config)).toEqual([]);
    expect(new Set(Object.keys(config))).toEqual(
      new Set([...Object.keys(compose.services['roost-1'].environment), 'DATABASE_POOL']),
    );
    const built = [...read('Dockerfile').matchAll(/\b(ROOST_\w+)=/g)].map(([, name]) => name!);
    expect(built.length).toBeGreaterThan(0);
    expect(unknown(built, {})).toEqual([]);
  });

  it('SCALE-28 asks for every secret of the compose file, and for no other', () => {
    const asked = new Set([...read('compose.yaml').matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name));
    const offered = new Set([...read('example.env').matchAll(/^(\w+)=/gm)].map(([, name]) => name));
    expect(offered).toEqual(asked);
  });

  it('SCALE-28 has ports that agree', () => {
    const [, port] = /ROOST_HTTP=:(\d+)/.exec(read('Dockerfile'))!;
    expect(read('Dockerfile')).toContain(`EXPOSE ${port}\n`);
    expect(read('Dockerfile')).toContain(`http://127.0.0.1:${port}/api/health`);
    expect([...nginx.matchAll(/server ([\w-]+):(\d+)/g)].map(([, host, at]) => [host, at])).toEqual([
      ['roost-1', port],
      ['roost-2', port],
    ]);
    const [, listened] = /listen (\d+);/.exec(nginx)!;
    expect(compose.services.proxy.ports).toEqual([`127.0.0.1:${listened}:${listened}`]);
    expect(container.ports).toEqual([{ name: 'http', containerPort: Number(port) }]);
    for (const probe of ['readinessProbe', 'livenessProbe', 'startupProbe'])
      expect(container[probe].httpGet.port).toBe('http');
    const [served] = ofKind('Service').spec.ports;
    expect(served.targetPort).toBe('http');
    const [rule] = ofKind('Ingress').spec.rules;
    expect(rule.http.paths[0].backend.service).toEqual({
      name: ofKind('Service').metadata.name,
      port: { name: served.name },
    });
  });

  it('SCALE-28 selects the pods of the deployment, by all that have to', () => {
    const { labels } = deployment.spec.template.metadata;
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect(ofKind('Service').spec.selector).toEqual(labels);
    expect(ofKind('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
    // A job that does its work is not to be sent requests.
    expect(ofKind('Job').spec.template.metadata.labels).not.toEqual(labels);
    expect(ofKind('HorizontalPodAutoscaler').spec.scaleTargetRef.name).toBe(deployment.metadata.name);
    const sources = container.envFrom.map((each: Parsed) => (each.configMapRef ?? each.secretRef).name);
    expect(sources).toEqual([ofKind('ConfigMap').metadata.name, ofKind('Secret').metadata.name]);
  });

  it('SCALE-28 gives a stop more time than Roost takes for it', () => {
    const { terminationGracePeriodSeconds } = deployment.spec.template.spec;
    const pause = Number(container.lifecycle.preStop.exec.command[1]);
    const drain = Number(ofKind('ConfigMap').data.ROOST_SHUTDOWN_TIMEOUT);
    expect(terminationGracePeriodSeconds).toBeGreaterThan(pause + drain);
    const { stop_grace_period, environment } = compose.services['roost-1'];
    expect(parseInt(stop_grace_period, 10)).toBeGreaterThan(Number(environment.ROOST_SHUTDOWN_TIMEOUT));
  });
});

function isOwn(data: unknown): boolean {
  return JSON.stringify(data).includes('"image":"roost"');
}
