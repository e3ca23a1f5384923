import type { RequestAnswers, RequestChannel } from '../../src/instances/instance-link.js';

/** A channel to answers in this process. Whatever goes through it becomes JSON on the way, as between processes. */
export function inProcessChannel(answers: RequestAnswers): RequestChannel {
  return {
    request: async (name, payload) => {
      const answer = answers[name];
      if (!answer) throw new Error(`Nobody answers ${name}.`);
      const asked = JSON.parse(JSON.stringify({ payload })) as { payload: unknown };
      const given = JSON.stringify({ answer: await answer(asked.payload) });
      return (JSON.parse(given) as { answer?: unknown }).answer;
    },
  };
}
