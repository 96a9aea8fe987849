// What openai-node shows of answers and errors, in the form that the Go tests
// read: see shown_test.go.

const shownChoice = (choice, message) => ({
  index: choice.index,
  text: message.content ?? "",
  finish_reason: choice.finish_reason,
  tool_calls: (message.tool_calls ?? []).map((call) => ({ id: call.id, ...call.function })),
  logprobs: (choice.logprobs?.content ?? []).map((token) => token.token),
  annotations: message.annotations,
});

// whole is what a completion shows, or the final object of a helper.
export const whole = (completion) => ({
  object: completion.object,
  model: completion.model,
  choices: completion.choices.map((choice) => ({
    ...shownChoice(choice, choice.message),
    parsed: choice.message.parsed ?? undefined,
  })),
  citations: completion.citations,
  usage: completion.usage?.total_tokens,
});

// A Collector puts the chunks of a stream together as people do, so that a
// chunk without choices would end it.
export class Collector {
  shown = { choices: [], chunks: 0, citations_chunks: 0 };

  add(chunk) {
    const { shown } = this;
    shown.chunks++;
    shown.object = chunk.object;
    shown.model = chunk.model;
    const first = chunk.choices[0];
    for (const { index, delta, finish_reason, logprobs } of chunk.choices) {
      const choice = (shown.choices[index] ??= { index, text: "", tool_calls: [], logprobs: [] });
      choice.text += delta.content ?? "";
      choice.logprobs.push(...(logprobs?.content ?? []).map((token) => token.token));
      for (const call of delta.tool_calls ?? []) {
        const known = (choice.tool_calls[call.index] ??= { arguments: "" });
        known.id ??= call.id;
        known.name ??= call.function.name;
        known.arguments += call.function.arguments ?? "";
      }
      if (delta.annotations) {
        choice.annotations = [...(choice.annotations ?? []), ...delta.annotations];
      }
      choice.finish_reason = finish_reason ?? choice.finish_reason;
    }
    if (chunk.citations !== undefined) {
      shown.citations_chunks++;
      shown.citations = chunk.citations;
      shown.citations_on_finish = Boolean(first?.finish_reason);
    }
    if (chunk.usage) {
      shown.usage = chunk.usage.total_tokens;
      shown.usage_choices = chunk.choices.length;
    }
  }

  async all(stream) {
    for await (const chunk of stream) {
      this.add(chunk);
    }
    return this.shown;
  }
}

// failure is what an error shows. A stream's errors have no status.
export const failure = (error) => ({
  class: error.constructor.name,
  status: error.status,
  message: error.error?.message ?? error.message,
  type: error.type,
  param: error.param ?? null,
  code: error.code,
  request_id: error.requestID,
  retry_after: error.headers?.get("retry-after"),
});
