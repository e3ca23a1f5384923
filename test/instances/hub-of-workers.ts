import { MessageHub, type HubMember } from '../../src/instances/message-hub.js';
import { WorkerLink } from '../../src/instances/worker-link.js';
import type { ToWorker } from '../../src/instances/worker-messages.js';

/** A worker without a process. */
export interface TestWorker {
  readonly link: WorkerLink;
  readonly member: HubMember;
  readonly received: ToWorker[];
  die(): void;
}

/** Workers that are connected to a hub without processes; messages arrive one turn later. */
export function hubOf(count: number): { hub: MessageHub; workers: TestWorker[] } {
  const hub = new MessageHub();
  const workers = Array.from({ length: count }, (_, index): TestWorker => {
    let isAlive = true;
    const received: ToWorker[] = [];
    const member: HubMember = {
      name: String(index + 1),
      send: (message) =>
        setImmediate(() => {
          if (!isAlive) return;
          received.push(message);
          link.receive(message);
        }),
    };
    const link: WorkerLink = new WorkerLink(member.name, index > 0, (message) =>
      setImmediate(() => isAlive && hub.receive(member, structuredClone(message))),
    );
    const die = (): void => {
      isAlive = false;
      hub.leave(member);
    };
    link.ready();
    return { link, member, received, die };
  });
  return { hub, workers };
}
