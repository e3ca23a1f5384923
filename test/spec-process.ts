import { ForksPoolWorker, type PoolRunnerInitializer, type PoolTask, type WorkerRequest } from 'vitest/node';

/** The tag of spec files that get a process of their own even where others share one. */
export const ALONE = 'alone';

/** A process whose heap has so many bytes after a file runs no other: what files leave behind adds up. */
const MOST_MEMORY = 512 * 1024 * 1024;

const isAlone = ({ files }: PoolTask['context']): boolean => files.some(({ fileTags }) => fileTags?.includes(ALONE));

/**
 * A process that runs spec files one after another where they are not isolated: loading Roost and its libraries takes
 * more processor time than most of them take to run.
 */
class SpecProcess extends ForksPoolWorker {
  override readonly name = specProcess.name;
  readonly reportMemory = true;
  private isUsedUp = false;

  override async start(): Promise<void> {
    await super.start();
    this.on('message', ({ usedMemory = 0 }: { usedMemory?: number }) => {
      if (usedMemory > MOST_MEMORY) this.isUsedUp = true;
    });
  }

  override send(message: WorkerRequest): void {
    if (message.type === 'run' && isAlone(message.context)) this.isUsedUp = true;
    super.send(message);
  }

  canReuse({ context }: PoolTask): boolean {
    return !this.isUsedUp && !isAlone(context);
  }
}

export const specProcess: PoolRunnerInitializer = {
  name: 'spec-process',
  createPoolWorker: (options) => new SpecProcess(options),
};
